import { readFileSync, writeFileSync } from 'node:fs';
import { createEncoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { sigmoid } from '../src/text/logistic.ts';
import { parseClaim, relationsInClaims } from '../src/text/statement/claim.ts';
import { compareStatements } from '../src/text/statement/comparison.ts';
import { featuresOf } from '../src/text/statement/match.ts';
import { readRelations } from '../src/text/statement/relations.ts';
import { type Graded, type Language, readLines } from './encoder/evaluation.ts';
import { readEncoderParts } from './encoder/parts.ts';
import { areaUnderCurve, calibrationError } from './metrics.ts';
import { DATA_FOLDER } from './rows.ts';

// Fits models/claim-match-weights.json, how alike two claims are: npx tsx training/claim-match.ts [data folder]

const folder = process.argv[2] ?? DATA_FOLDER;
/** Readers' grades from here on mean: the same, or the same but for details (of 5). */
const SAME_GRADE = 4;
const STEPS = 4000;
const RATE = 0.5;

const parts = readEncoderParts();
const encoder = createEncoder(shareEncoder(parts, 1), 0);
const relations = relationsInClaims(readRelations(readFileSync('models/relations-en.tsv', 'utf8')));

interface Row {
  readonly features: readonly number[];
  readonly same: boolean;
  readonly language: Language;
}

function vectors(rows: readonly Graded[], side: 'a' | 'b', language: Language): Float32Array[] {
  return encoder
    .encode(
      rows.map((row) => row[side]),
      language,
    )
    .map(({ vector }) => vector ?? new Float32Array(512));
}

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);

function rowsOf(part: string): Row[] {
  const graded = readLines<Graded>(folder, 'sts', `${part}.jsonl.gz`);
  return (['en', 'ro'] as const).flatMap((language) => {
    const rows = graded.filter((row) => row.lang === language);
    const [left, right] = [vectors(rows, 'a', language), vectors(rows, 'b', language)];
    return rows.map((row, index) => {
      const read = (text: string) => parseClaim(text, language, parts.gloss);
      const comparison = compareStatements(read(row.a), read(row.b), relations);
      const cosine = dot(left[index] ?? new Float32Array(512), right[index] ?? new Float32Array(512));
      return { features: featuresOf(cosine, comparison), same: row.score >= SAME_GRADE, language };
    });
  });
}

const score = (weights: readonly number[], { features }: Row) =>
  sigmoid(features.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0));

/** Logistic regression by plain gradient descent; the features are few. */
function fit(rows: readonly Row[]): number[] {
  const weights = new Array<number>(rows[0]?.features.length ?? 0).fill(0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map(() => 0);
    for (const row of rows) {
      const error = score(weights, row) - (row.same ? 1 : 0);
      for (const [index, value] of row.features.entries())
        gradient[index] = (gradient[index] ?? 0) + error * value;
    }
    for (const [index, value] of gradient.entries())
      weights[index] = (weights[index] ?? 0) - (RATE * value) / rows.length;
  }
  return weights;
}

const weights = fit(rowsOf('train')).map((value) => Number(value.toFixed(4)));
for (const language of ['en', 'ro'] as const) {
  const scored = rowsOf('dev')
    .filter((row) => row.language === language)
    .map((row, index) => ({ score: score(weights, row), truth: row.same, group: String(index) }));
  console.log(language, scored.length, { auc: areaUnderCurve(scored), ece: calibrationError(scored) });
}
console.log(weights);
writeFileSync('models/claim-match-weights.json', `${JSON.stringify({ version: '1', weights })}\n`);
