import { readFileSync, writeFileSync } from 'node:fs';
import { foldedWords } from '../src/services/analysis/engines/context/phrases.ts';
import { narrativesOf } from '../src/services/analysis/engines/narratives/engine.ts';
import {
  type FrameHit,
  frameHits,
  NARRATIVE_FAMILIES,
} from '../src/services/analysis/engines/narratives/frames.ts';
import { Positions } from '../src/text/positions.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import { type Language, readLines } from './encoder/evaluation.ts';
import { atThreshold, calibrationError, type Scored, withInterval } from './metrics.ts';
import { DATA_FOLDER, readRows } from './rows.ts';

// Fits models/narratives.json: npx tsx training/narratives.ts [data folder]; with --score the held-back texts too

const folder = process.argv[2] ?? DATA_FOLDER;
/** Words that are spread over neighbouring sentences speak less loud. */
const PASSAGE_SHARE = 0.7;

interface Paraphrase {
  lang: Language;
  narrative: string;
  asserts: boolean;
  text: string;
}
interface Sample {
  text: string;
  lang: Language;
  family: string | null;
}

const own = readFileSync('training/data/narratives/paraphrases.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Paraphrase)
  .map(({ text, lang, narrative, asserts }): Sample => ({ text, lang, family: asserts ? narrative : null }));

/** Every so many of a list, evenly. */
const thinned = <Row>(rows: readonly Row[], most: number) =>
  rows.filter(
    (_, at) => Math.floor((at * most) / rows.length) !== Math.floor(((at - 1) * most) / rows.length),
  );
const calmOf = (texts: readonly string[], lang: Language, most: number) =>
  thinned(texts, most).map((text): Sample => ({ text, lang, family: null }));
const parallel = readLines<{ en: string; ro: string }>(folder, 'parallel', 'train.jsonl.gz');
const named = readRows<{ lang: Language; tokens: string[] }>(folder, 'ner').filter(
  ({ lang }) => lang === 'ro',
);
const articles = readRows<{ text: string; label: string }>(folder, 'hyperpartisan')
  .filter(({ label }) => label === 'mainstream')
  .flatMap(({ text }) => sentencesOf(text).map((sentence) => sentence.text));
const calm = [
  ...calmOf(
    parallel.map(({ ro }) => ro),
    'ro',
    3500,
  ),
  ...calmOf(
    named.map(({ tokens }) => tokens.join(' ')),
    'ro',
    2500,
  ),
  ...calmOf(
    parallel.map(({ en }) => en),
    'en',
    1500,
  ),
  ...calmOf(
    readRows<{ text: string }>(folder, 'checkworthy').map(({ text }) => text),
    'en',
    1500,
  ),
  ...calmOf(articles, 'en', 3000),
];

const read = [...own, ...calm].map((sample) => {
  const hits = new Map<string, FrameHit>();
  for (const found of frameHits(sentencesOf(sample.text), foldedWords(sample.text), sample.lang))
    for (const [family, hit] of found)
      if (hit === 'sentence') hits.set(NARRATIVE_FAMILIES[family]?.code ?? '', hit);
  return { ...sample, hits };
});

const families = Object.fromEntries(
  NARRATIVE_FAMILIES.map(({ code }) => {
    const share = (chosen: typeof read, prior: number) =>
      (chosen.filter(({ hits }) => hits.has(code)).length + prior) / (chosen.length + 2 * prior);
    const inside = read.filter(({ family }) => family === code);
    const outside = read.filter(({ family }) => family === null);
    return [code, Number(Math.log(share(inside, 1) / share(outside, 0.5)).toFixed(3))];
  }),
);

const best = ({ hits }: (typeof read)[number]) =>
  [...hits.keys()].sort((one, two) => (families[two] ?? 0) - (families[one] ?? 0))[0];
/** One sentence of three hundred of a text that is sent in is taken to speak of a given family; a convention, not measured. */
const PRIOR = 1 / 300;
const bias = Math.log(PRIOR / (1 - PRIOR));
const round = (value: number) => Number(value.toFixed(4));
const model = {
  name: 'limpede-narratives-1',
  version: '1.0.0',
  bias: round(bias),
  sentence: 1,
  passage: PASSAGE_SHARE,
  families,
};
writeFileSync('models/narratives.json', `${JSON.stringify(model, undefined, 2)}\n`);

for (const lang of ['en', 'ro'] as const) {
  const rows = read
    .filter((sample) => sample.lang === lang)
    .map((sample, at): Scored & { right: boolean } => {
      const code = best(sample);
      const margin = code === undefined ? -20 : (families[code] ?? 0) + bias;
      return {
        score: 1 / (1 + Math.exp(-margin)),
        truth: sample.family !== null,
        group: String(at),
        right: code === sample.family,
      };
    });
  const point = atThreshold(rows, 0.5);
  const found = rows.filter(({ truth, score }) => truth && score >= 0.5);
  console.log(
    `${lang}: found ${point.recall.toFixed(3)}, right family of these ${(found.filter(({ right }) => right).length / found.length).toFixed(3)}, ` +
      `calm ones taken for one ${point.falsePositiveRate.toFixed(4)}, calibration error ${calibrationError(rows).toFixed(3)}`,
  );
}

interface Told {
  id: string;
  lang: Language;
  narrative: string;
  stance: 'asserts' | 'debunks' | 'unrelated';
  text: string;
}
const found = ({ text, lang }: { text: string; lang: Language }) =>
  narrativesOf({
    sentences: sentencesOf(text),
    words: foldedWords(text),
    language: lang,
    positions: new Positions(text),
  });

/** What the shipped weights find in texts that they were not fitted on. */
function score(rows: readonly Told[]): void {
  for (const lang of ['en', 'ro'] as const)
    for (const stance of ['asserts', 'debunks', 'unrelated'] as const) {
      const part = rows.filter((row) => row.lang === lang && row.stance === stance);
      const share = (name: string, holds: (row: Told) => boolean) => {
        const scored = part.map((row): Scored => ({ score: holds(row) ? 1 : 0, truth: true, group: row.id }));
        const mean = (some: readonly Scored[]) => some.reduce((sum, one) => sum + one.score, 0) / some.length;
        console.log(`${lang}, ${stance} (${part.length}): ${name} ${withInterval(scored, mean)}`);
      };
      share('told, some family', (row) => found(row).some((one) => one.stance === 'asserts'));
      share('told, its family', (row) =>
        found(row).some((one) => one.stance === 'asserts' && one.code === row.narrative),
      );
      share('refuted', (row) => found(row).some((one) => one.stance === 'debunks'));
    }
}
if (process.argv.includes('--score')) {
  score(
    readFileSync('training/data/narratives/held-back.jsonl', 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Told),
  );
  const calmArticles = readRows<{ text: string; label: string }>(folder, 'hyperpartisan')
    .filter(({ label }) => label === 'mainstream')
    .map(({ text }) => found({ text, lang: 'en' }).some(({ stance }) => stance === 'asserts'));
  console.log(`mainstream articles: told ${calmArticles.filter(Boolean).length} of ${calmArticles.length}`);
}
