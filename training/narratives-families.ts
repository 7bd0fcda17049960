/**
 * Writes the passages that training/narratives/families.py learns from, with their vectors: npx tsx training/narratives-families.ts FOLDER [data folder].
 * Then: python3 training/narratives/families.py FOLDER, which fits models/narratives-families.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import { foldedWords } from '../src/services/analysis/engines/context/phrases.ts';
import { encodingOf } from '../src/services/analysis/engines/encoding/text-encoding.ts';
import { namedBySentence } from '../src/services/analysis/engines/narratives/engine.ts';
import { passageVector } from '../src/services/analysis/engines/narratives/passage-vector.ts';
import {
  PassageScorer,
  passageWeights,
  passageWindows,
} from '../src/services/analysis/engines/narratives/passages.ts';
import { toPlainText } from '../src/services/analysis/engines/plain-text.ts';
import { createEncoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import type { Language } from './encoder/evaluation.ts';
import { readEncoderParts } from './encoder/parts.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';

const [folder, data = DATA_FOLDER] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder that gets the passages.');
/** Longer articles are left out. */
const LONGEST = 12_000;

interface Row {
  readonly id: string;
  readonly set: string;
  readonly lang: Language;
  readonly text: string;
}
type Line = Omit<Row, 'set'> & { readonly title?: string; readonly label?: string; readonly source?: string };

const linesOf = <Kind>(...names: readonly string[]) =>
  readFileSync(packageFile('training', 'data', ...names), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Kind);
const own = (set: string, ...names: readonly string[]): Row[] =>
  linesOf<Row>(...names).map((row) => ({ ...row, set }));

/** Sentences of sets that have no longer texts, four together as if they were one. */
function fours(set: string, lang: Language, sentences: readonly string[], most: number): Row[] {
  const count = Math.min(most, Math.floor(sentences.length / 4));
  return Array.from({ length: count }, (_, at) => ({
    id: `${set}-${lang}-${4 * at}`,
    set,
    lang,
    text: sentences
      .slice(4 * at, 4 * at + 4)
      .map((one) => (/[.!?…]["”']?$/u.test(one.trim()) ? one.trim() : `${one.trim()}.`))
      .join(' '),
  }));
}
const some = (set: string, lines: readonly Line[], most: number): Row[] =>
  shuffled(lines, 7)
    .slice(0, most)
    .map(({ id, lang, text }) => ({ id, set, lang, text }));

function articles(label: string, set: string): Row[] {
  return readRows<Line>(data, 'hyperpartisan')
    .filter((row) => row.label === label)
    .map(({ id, title = '', text }): Row => ({ id, set, lang: 'en', text: `${title}\n\n${text}` }))
    .filter(({ text }) => text.length <= LONGEST);
}

/** Lines of the parallel texts, each source and language on its own. */
function parallels(): Row[] {
  const parallel = readRows<{ en: string; ro: string; source: string }>(data, 'parallel');
  const sources = [...new Set(parallel.map(({ source }) => source))].filter((one) => !one.includes('STS'));
  return sources.flatMap((source) => {
    const rows = parallel.filter((row) => row.source === source);
    return (['ro', 'en'] as const).flatMap((lang) =>
      fours(
        `parallel-${source}`,
        lang,
        rows.map((row) => row[lang]),
        lang === 'ro' ? 120 : 40,
      ),
    );
  });
}

/** The first sentences of pages of the web. */
function pages(): Row[] {
  const lines = readFileSync(join(data, 'extraction', 'wcxb-dev', 'index.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return shuffled(
    lines.map((line) => JSON.parse(line) as { id: string; gold?: { text?: string } }),
    3,
  )
    .slice(0, 160)
    .map(({ id, gold }): Row => {
      const first = sentencesOf(gold?.text ?? '').slice(0, 12);
      return { id, set: 'pages', lang: 'en', text: first.map(({ text }) => text).join(' ') };
    });
}

function foreign(): Row[] {
  const emotion = readRows<Line>(data, 'emotion');
  const named = readRows<Line & { tokens: string[] }>(data, 'ner').filter(({ lang }) => lang === 'ro');
  return [
    ...fours(
      'ronec',
      'ro',
      named.map(({ tokens }) => tokens.join(' ').replace(/ ([,.;:!?)])/gu, '$1')),
      300,
    ),
    ...parallels(),
    ...some(
      'comments',
      emotion.filter(({ lang, source = '' }) => lang === 'ro' && /red/iu.test(source)),
      350,
    ),
    ...some(
      'comments',
      readRows<Line>(data, 'toxicity').filter(({ lang }) => lang === 'ro'),
      350,
    ),
    ...fours(
      'debate',
      'en',
      readRows<Line>(data, 'checkworthy').map(({ text }) => text),
      300,
    ),
    ...some(
      'comments',
      emotion.filter(({ lang }) => lang === 'en'),
      100,
    ),
    ...pages(),
  ];
}

const rows = [
  ...own('c', 'hands', 'c', 'narratives.jsonl'),
  ...own('d', 'hands', 'd', 'narratives.jsonl'),
  ...own('held', 'narratives', 'held-back.jsonl'),
  ...articles('mainstream', 'mainstream'),
  ...['i', 'j', 'k'].flatMap((hand) => own(hand, 'hands', hand, 'whole.jsonl')),
  ...own('l', 'hands', 'l', 'calm.jsonl'),
  ...['a', 'f', 'g'].flatMap((hand) => own(hand, 'hands', hand, 'whole.jsonl')),
  ...own('e', 'hands', 'e', 'short.jsonl'),
  ...own('calm', 'written', 'calm.jsonl'),
  ...own('paraphrases', 'narratives', 'paraphrases.jsonl'),
  ...foreign(),
  ...articles('hyperpartisan', 'hyper'),
];
const whole = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
/** Without the layer that only techniques read. */
const encoder = { encode: whole.encode.bind(whole) };
const reader = new PassageScorer(
  passageWeights.parse(JSON.parse(readFileSync(packageFile('models', 'narratives-passages.json'), 'utf8'))),
);

const numbers: Buffer[] = [];
const passages = rows.flatMap(({ text: sent, ...row }, at) => {
  const { text } = toPlainText(sent);
  const sentences = sentencesOf(text);
  const encoding = encodingOf(encoder, { text, language: row.lang });
  const named = namedBySentence({ sentences, words: foldedWords(text), language: row.lang, encoding });
  const windows = passageWindows(sentences.length);
  return windows.flatMap(({ from, to }) => {
    const part = sentences.slice(from, to).map((sentence) => sentence.text);
    const vectors = part
      .map((_, place) =>
        encoding.vectors.subarray((from + place) * DIMENSIONS, (from + place + 1) * DIMENSIONS),
      )
      .filter((vector) => vector.some((value) => value !== 0));
    if (vectors.length === 0) return [];
    const passage = { text: part.join(' '), vectors, language: row.lang };
    numbers.push(Buffer.from(Float32Array.from(passageVector(passage)).buffer));
    return [
      {
        ...row,
        row: at,
        passage: passage.text,
        windows: windows.length,
        telling: reader.score(passage),
        named: [...new Set(named.slice(from, to).flat())],
      },
    ];
  });
});
writeFileSync(join(folder, 'passages.jsonl'), passages.map((one) => `${JSON.stringify(one)}\n`).join(''));
writeFileSync(join(folder, 'passages.f32'), Buffer.concat(numbers));
console.log(`${rows.length} texts, ${passages.length} passages`);
