/**
 * Fits models/text-reading.json and models/text-kernel.json: what words and vectors of whole texts say of whether they press their
 * reader, learned from the texts of many hands and scored on hands that they did not see. Usage: npx tsx training/text-reading.ts [data folder] [folder that keeps vectors] [--fit: no scores]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import { toPlainText } from '../src/services/analysis/engines/plain-text.ts';
import { createTechniquesEngine } from '../src/services/analysis/engines/techniques/engine.ts';
import { createTextKernelReader } from '../src/services/analysis/engines/techniques/text-kernel.ts';
import { wholeTextLogOdds, wordsBySentence } from '../src/services/analysis/engines/techniques/whole-text.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import { TfIdfModel } from '../src/text/term-weights.ts';
import { sentenceVectors, vectorIn } from './diffuse/vectors.ts';
import type { Language } from './encoder/evaluation.ts';
import { pressingTexts } from './judgement/pressing-rows.ts';
import { areaUnderCurve, withInterval } from './metrics.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';
import { fitTextKernel } from './terms/text-kernel.ts';

const [folder = DATA_FOLDER, cache = join(tmpdir(), 'limpede-vectors')] = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith('--'));
/** Own registers and articles are shared among so many folds, which count as hands. */
const FOLDS = 4;
/** Short texts of one narrative or message count less than whole ones. */
const SHORT_COUNTS = 0.5;
const CHANCES = [0, 0.02, 0.05, 0.1];

interface Row {
  readonly text: string;
  readonly lang: Language;
  /** Null: a reader may take it for either. */
  readonly loud: boolean | null;
  readonly set: string;
  readonly hand: string;
}

interface Line {
  readonly text: string;
  readonly lang: Language;
  readonly loud?: boolean;
  readonly scam?: boolean;
  readonly stance?: string;
  readonly expected?: { readonly accept: readonly string[] };
}

function loudOf({ loud, scam, stance, expected }: Line): boolean | null {
  if (expected === undefined) return loud ?? scam ?? stance === 'spreads';
  const isLow = expected.accept.includes('low');
  return isLow && expected.accept.length > 1 ? null : !isLow;
}

/** Rows of a written file. */
function linesOf(hand: string, ...names: readonly string[]): Row[] {
  const lines = readFileSync(packageFile('training', 'data', ...names), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const row = JSON.parse(line) as Line;
    return { text: row.text, lang: row.lang, loud: loudOf(row), set: names.join('/'), hand };
  });
}

const codeSum = (text: string) => [...text].reduce((sum, one) => sum + (one.codePointAt(0) ?? 0), 0);
const own = pressingTexts(folder).map(({ text, lang, loud, set, register }, at): Row => {
  const fold = codeSum(register === '' ? `${set} ${at}` : register) % FOLDS;
  return { text, lang, loud, set, hand: `own ${fold}` };
});
/** Political reporting is what is taken for pressing most often: more of it, but for the 70 articles and 80 pages that the card scores. */
const SCORED = { mainstream: [160, 230], pages: [100, 180] } as const;
const MOST_CHARACTERS = 4000;
const reporting = shuffled(
  readRows<{ text: string; label: string }>(folder, 'hyperpartisan').filter(
    ({ label }) => label !== 'hyperpartisan',
  ),
  7,
).slice(SCORED.mainstream[1]);
const pages = shuffled(
  readFileSync(join(folder, 'extraction', 'wcxb-dev', 'index.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { gold?: { text?: string } }).gold?.text ?? '')
    .filter((text) => text.length > 600),
  7,
).slice(SCORED.pages[1], SCORED.pages[1] + 100);
const more = [...reporting.map(({ text }) => text), ...pages].map(
  (text, at): Row => ({
    text: text.slice(0, MOST_CHARACTERS),
    lang: 'en',
    loud: false,
    set: 'more articles and pages',
    hand: `own ${at % FOLDS}`,
  }),
);
/** Sentences of news, encyclopedias and travel guides, as sets of others hold them in order, put together as passages. */
const PASSAGE_SENTENCES = 8;
const MOST_PASSAGES = 150;
/** One passage in so many teaches nothing. */
const KEPT_APART = 5;
const passagesOf = (sentences: readonly string[]) =>
  Array.from({ length: Math.floor(sentences.length / PASSAGE_SENTENCES) }, (_, at) =>
    sentences.slice(at * PASSAGE_SENTENCES, (at + 1) * PASSAGE_SENTENCES).join(' '),
  );
const joined = (tokens: readonly string[]) => tokens.join(' ').replace(/ ([.,;:!?])/g, '$1');
const parallel = readRows<{ source: string; en: string; ro: string }>(folder, 'parallel').filter(
  ({ source }) => ['NTREX-128', 'SIB-200'].includes(source),
);
const ronec = readRows<{ source: string; tokens: string[] }>(folder, 'ner').filter(({ source }) =>
  source.startsWith('RONEC'),
);
const writtenCalmly: readonly [Language, string[]][] = [
  ['en', passagesOf(parallel.map(({ en }) => en))],
  ['ro', passagesOf(parallel.map(({ ro }) => ro))],
  ['ro', passagesOf(ronec.map(({ tokens }) => joined(tokens)))],
];
const passages = writtenCalmly.flatMap(([lang, texts]) =>
  texts
    .filter((_, at) => at % KEPT_APART > 0)
    .slice(0, MOST_PASSAGES)
    .map((text, at): Row => ({ text, lang, loud: false, set: 'passages', hand: `own ${at % FOLDS}` })),
);
const messages = readFileSync(packageFile('training', 'data', 'lures', 'messages.tsv'), 'utf8')
  .trim()
  .split('\n')
  .map((line): Row => {
    const [lang, kind, text = ''] = line.split('\t');
    const loud = kind !== 'none';
    return { text, lang: lang === 'ro' ? 'ro' : 'en', loud, set: 'lures', hand: 'messages' };
  });
const rows = [
  ...own,
  ...more,
  ...passages,
  ...linesOf('a', 'hands', 'a', 'whole.jsonl'),
  ...linesOf('e', 'hands', 'e', 'short.jsonl'),
  ...linesOf('f', 'hands', 'f', 'whole.jsonl'),
  ...linesOf('g', 'hands', 'g', 'whole.jsonl'),
  ...linesOf('g', 'hands', 'g', 'lures.jsonl'),
  ...linesOf('i', 'hands', 'i', 'whole.jsonl'),
  ...linesOf('j', 'hands', 'j', 'whole.jsonl'),
  ...linesOf('k', 'hands', 'k', 'whole.jsonl'),
  ...linesOf('l', 'hands', 'l', 'messages.jsonl'),
  ...linesOf('l', 'hands', 'l', 'calm.jsonl'),
  ...linesOf('n', 'hands', 'n', 'whole.jsonl'),
  ...linesOf('o', 'hands', 'o', 'whole.jsonl'),
  ...linesOf('second', 'second', 'development.jsonl'),
  ...linesOf('c', 'hands', 'c', 'narratives.jsonl'),
  ...linesOf('c', 'hands', 'c', 'lures.jsonl'),
  ...messages,
];
/** Short texts of one narrative or message. */
const isShort = ({ hand, set }: Row) =>
  hand === 'c' || hand === 'messages' || /(?:lures|messages)\.jsonl$/.test(set);

/** Rows with the vectors of their sentences, which are kept in a folder, those of a set and language in one file. */
const encoded = (() => {
  const cutUp = rows.map(({ text }) => sentencesOf(toPlainText(text).text));
  const vectors = new Map<number, Float32Array>();
  const fileOf = ({ set, lang }: Row) => `reading-${set.replace(/\W+/g, '-')}-${lang}`;
  for (const file of new Set(rows.map(fileOf))) {
    const places = [...rows.entries()].flatMap(([at, row]) => (fileOf(row) === file ? [at] : []));
    const lang = rows[places[0] ?? 0]?.lang ?? 'en';
    const quotes = places.map((at) => (cutUp[at] ?? []).map(({ text }) => text));
    sentenceVectors(cache, file, quotes, lang).forEach((all, at) => {
      vectors.set(places[at] ?? 0, all);
    });
  }
  return rows.map((row, at) => {
    const all = vectors.get(at) ?? new Float32Array(0);
    const sentences = cutUp[at] ?? [];
    const bounds = Uint32Array.from(sentences.flatMap(({ start, end }) => [start, end]));
    return { ...row, encoding: { bounds, vectors: all } };
  });
})();
type Read = (typeof encoded)[number];

const countOf = (row: Row) => (isShort(row) ? SHORT_COUNTS : 1);

const fit = (learned: readonly Read[]) =>
  fitTextKernel(
    learned.map((row) => ({
      text: toPlainText(row.text).text,
      lang: row.lang,
      truth: row.loud === true,
      weight: countOf(row),
      vectors: Array.from({ length: row.encoding.bounds.length / 2 }, (_, at) =>
        vectorIn(row.encoding.vectors, at),
      ),
    })),
  );

const engine = createTechniquesEngine(readFileSync(packageFile('models', 'techniques.bin')));

const known = encoded.filter(({ loud }) => loud !== null);

/** Log-odds of the texts of a hand, by a reading that saw nothing of it; the other signs are as shipped. */
function scoresWithout(hand: string) {
  const reading = fit(known.filter((row) => row.hand !== hand));
  const reader = new TfIdfModel(reading.words);
  const kernel = createTextKernelReader(reading.kernel);
  return known
    .filter((row) => row.hand === hand)
    .map((row) => {
      const signs = engine.signs(row.text, { language: row.lang, encoding: row.encoding });
      const words = wordsBySentence(
        signs.map(({ text }) => text),
        reader,
      );
      const read = signs.map((one, at) => ({ ...one, words: words[at] ?? 0 }));
      const vectors = signs.map(({ vector }) => vector);
      const score = signs.length === 0 ? -9 : wholeTextLogOdds(read, row.lang, kernel(vectors, row.lang));
      return { ...row, score, count: signs.length };
    });
}

const hands = process.argv.includes('--fit')
  ? []
  : [...new Set(rows.filter((row) => !isShort(row)).map(({ hand }) => hand))];
const scored = hands.flatMap(scoresWithout).filter((row) => row.count > 3 && !isShort(row));
for (const group of ['a', 'e', 'f', 'g', 'i', 'j', 'k', 'l', 'n', 'o', 'second', 'own'])
  for (const lang of ['en', 'ro'] as const) {
    const part = scored.filter((row) => row.hand.startsWith(group) && row.lang === lang);
    if (part.length === 0) continue;
    const marked = part.map(({ score, loud }, at) => ({ score, truth: loud === true, group: String(at) }));
    const calm = marked.filter(({ truth }) => !truth).map(({ score }) => score);
    calm.sort((one, two) => two - one);
    const found = CHANCES.map((chance) => {
      const bound = calm[Math.min(calm.length - 1, Math.floor(chance * calm.length))] ?? 0;
      const loud = marked.filter(({ truth }) => truth);
      return (loud.filter(({ score }) => score > bound).length / loud.length).toFixed(2);
    });
    console.log(
      `${group}, ${lang}: ${part.length} texts; AUC ${withInterval(marked, areaUnderCurve)}; found where 0, 2, 5, 10 % of calm ones pass: ${found.join(' ')}`,
    );
  }
for (const set of new Set(scored.map((row) => `${row.set}, ${row.loud === true ? 'loud' : 'calm'}`))) {
  const part = scored.filter((row) => `${row.set}, ${row.loud === true ? 'loud' : 'calm'}` === set);
  const above = [0, 0.25, 0.5, 0.75, 1].map((bound) => part.filter(({ score }) => score > bound).length);
  console.log(`  ${set}: above 0, 0.25, 0.5, 0.75, 1: ${above.join(' ')} of ${part.length}`);
}
const { words, kernel } = fit(known);
writeFileSync('models/text-reading.json', `${JSON.stringify({ words })}\n`);
writeFileSync('models/text-kernel.json', `${JSON.stringify(kernel)}\n`);
