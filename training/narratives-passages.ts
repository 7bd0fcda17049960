/**
 * Fits models/narratives-passages.json: whether a passage asserts a narrative, rather than refuting it, reporting it or sharing its words. Usage:
 * npx tsx training/narratives-passages.ts [folder that keeps vectors]. Learns from training/data/hands/c and our paraphrases; the threshold was chosen on hands/d.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import {
  type PassageText,
  passageVector,
} from '../src/services/analysis/engines/narratives/passage-vector.ts';
import { PassageScorer, type PassageWeights } from '../src/services/analysis/engines/narratives/passages.ts';
import { toPlainText } from '../src/services/analysis/engines/plain-text.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import { sentenceVectors, vectorIn } from './diffuse/vectors.ts';
import type { Language } from './encoder/evaluation.ts';
import { asBytes, fitSparse, fitTerms } from './terms/fit.ts';

const [cache = join(tmpdir(), 'limpede-vectors')] = process.argv.slice(2);
/** Chosen on the validation hand. */
const PENALTY = 0.25;
const TERMS = { least: 2, penalty: 0.25 } as const;
const LEAST = 1.2;
/** How much a row of a set counts. */
const WEIGHTS = { c: 1, paraphrases: 0.1, calm: 0.3, e: 0.3 } as const;
const TELLS = 'spreads';
const CALM = 'unrelated';

interface Line {
  readonly text: string;
  readonly lang: Language;
  readonly narrative?: string;
  readonly stance?: string;
  readonly asserts?: boolean;
  readonly loud?: boolean;
}
interface Row {
  readonly text: string;
  readonly lang: Language;
  readonly narrative: string;
  readonly stance: string;
  readonly weight: number;
}

function rowsOf(weight: number, ...names: readonly string[]): Row[] {
  const lines = readFileSync(packageFile('training', 'data', ...names), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => {
    const { text, lang, narrative = '', stance, asserts, loud } = JSON.parse(line) as Line;
    const named = loud === true ? 'loud' : (stance ?? CALM);
    const said = stance === 'asserts' || asserts === true ? TELLS : named;
    return { text, lang, narrative, stance: said, weight };
  });
}

const sets = {
  paraphrases: rowsOf(WEIGHTS.paraphrases, 'narratives', 'paraphrases.jsonl'),
  c: rowsOf(WEIGHTS.c, 'hands', 'c', 'narratives.jsonl'),
  calm: rowsOf(WEIGHTS.calm, 'written', 'calm.jsonl'),
  e: rowsOf(WEIGHTS.e, 'hands', 'e', 'short.jsonl').filter(({ stance }) => stance === CALM),
  d: rowsOf(0, 'hands', 'd', 'narratives.jsonl'),
  held: rowsOf(0, 'narratives', 'held-back.jsonl'),
};

/** All rows with the passage that they are. */
const read = (() => {
  const rows = Object.entries(sets).flatMap(([set, own]) => own.map((row) => ({ ...row, set })));
  const cutUp = rows.map(({ text }) => sentencesOf(toPlainText(text).text).map((sentence) => sentence.text));
  const passages = new Array<PassageText>(rows.length);
  for (const lang of ['en', 'ro'] as const) {
    const places = [...rows.keys()].filter((at) => rows[at]?.lang === lang);
    const quotes = places.map((at) => cutUp[at] ?? []);
    sentenceVectors(cache, `passages-${lang}`, quotes, lang).forEach((all, at) => {
      const own = quotes[at] ?? [];
      passages[places[at] ?? 0] = {
        text: own.join(' '),
        vectors: own.map((_, index) => vectorIn(all, index)),
        language: lang,
      };
    });
  }
  return rows.map((row, at) => {
    const passage = passages[at] as PassageText;
    return { ...row, passage, vector: passageVector(passage) };
  });
})();
type Read = (typeof read)[number];

/** A direction of the first `width` numbers, less the mean of the language. */
function directionOf(
  rows: readonly Read[],
  width: number,
  { code, penalty, holds }: { code: string; penalty: number; holds: (row: Read) => boolean },
): PassageWeights['telling']['vector'] {
  const centre = (lang: Language) => {
    const own = rows.filter((row) => row.lang === lang);
    const sums = new Float64Array(width);
    for (const { vector } of own)
      for (let at = 0; at < width; at += 1)
        sums[at] = (sums[at] as number) + (vector[at] as number) / own.length;
    return sums;
  };
  const centres = { en: centre('en'), ro: centre('ro') };
  const places = Array.from({ length: width }, (_, at) => at);
  const weights = fitSparse(
    rows.map((row) => ({
      places,
      values: row.vector.subarray(0, width).map((value, at) => value - (centres[row.lang][at] as number)),
      truth: holds(row),
      weight: row.weight,
    })),
    width,
    { penalty, balanced: true },
  );
  const { scale, bytes } = asBytes(weights.subarray(0, width));
  const biasOf = (lang: Language) =>
    Number(
      centres[lang]
        .reduce((sum, value, at) => sum - value * (weights[at] as number), weights[width] as number)
        .toPrecision(5),
    );
  return { code, scale, en: biasOf('en'), ro: biasOf('ro'), direction: bytes };
}

const learned = read.filter(({ weight }) => weight > 0);

function telling(rows: readonly Read[]): PassageWeights['telling'] {
  const holds = ({ stance }: Row) => stance === TELLS;
  return {
    words: fitTerms(
      rows.map((row) => ({
        text: row.passage.text,
        labels: new Set(holds(row) ? [TELLS] : []),
        weight: row.weight,
      })),
      [TELLS],
      TERMS,
    ),
    vector: directionOf(rows, 3 * DIMENSIONS, { code: TELLS, penalty: PENALTY, holds }),
  };
}

const model: PassageWeights = { telling: telling(learned), least: LEAST };
writeFileSync('models/narratives-passages.json', `${JSON.stringify(model)}\n`);

const reader = new PassageScorer(model);
for (const set of ['d', 'held'])
  for (const lang of ['en', 'ro'] as const)
    for (const stance of [TELLS, 'debunks', 'reports', 'unrelated']) {
      const own = read.filter((row) => row.set === set && row.lang === lang && row.stance === stance);
      if (own.length === 0) continue;
      const called = own.filter(({ passage }) => reader.score(passage) >= LEAST);
      console.log(`${set}, ${lang}, ${stance}: ${called.length} of ${own.length} called`);
    }
