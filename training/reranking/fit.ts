import type { Fusion, PassageScores } from '../../src/services/reranking/backends/packaged/ranking.ts';

/** A passage with its scores and whether it answers its query. */
export interface Example {
  readonly scores: PassageScores;
  readonly relevant: boolean;
  readonly weight: number;
}

type Part = Exclude<keyof Fusion, 'intercept'>;
const ROUNDS = 60;
const PENALTY = 1e-6;
/** Digits of the weights that are kept. */
const DIGITS = 4;

/**
 * Logistic regression by Newton steps. A part that would count against a passage is left out: more words in common, or more
 * nearness, never makes a passage less relevant.
 */
export function fitFusion(examples: readonly Example[]): Fusion {
  let parts: Part[] = ['lexical', 'cosine', 'product'];
  for (;;) {
    const [intercept = 0, ...weights] = regress(
      examples.map(({ scores }) => [1, ...parts.map((part) => featureOf(part, scores))]),
      examples,
    );
    const negative = weights.findIndex((weight) => weight < 0);
    const weightOf = (part: Part) => round(weights[parts.indexOf(part)] ?? 0);
    if (negative < 0)
      return {
        intercept: round(intercept),
        lexical: weightOf('lexical'),
        cosine: weightOf('cosine'),
        product: weightOf('product'),
      };
    parts = parts.filter((_, index) => index !== negative);
  }
}

const round = (value: number) => Number(value.toFixed(DIGITS));

function featureOf(part: Part, { lexical, cosine }: PassageScores): number {
  if (part === 'lexical') return lexical;
  return part === 'cosine' ? cosine : lexical * cosine;
}

function regress(rows: readonly (readonly number[])[], examples: readonly Example[]): number[] {
  const size = rows[0]?.length ?? 0;
  let weights = new Array<number>(size).fill(0);
  for (let turn = 0; turn < ROUNDS; turn++) {
    const gradient = weights.map((weight) => PENALTY * weight);
    const curvature = weights.map((_, row): number[] =>
      weights.map((_, column) => (row === column ? PENALTY : 0)),
    );
    rows.forEach((row, index) => {
      const example = examples[index];
      if (example === undefined) return;
      const sum = row.reduce((total, value, at) => total + value * (weights[at] ?? 0), 0);
      const probability = 1 / (1 + Math.exp(-sum));
      const error = example.weight * (probability - (example.relevant ? 1 : 0));
      const spread = example.weight * probability * (1 - probability);
      row.forEach((value, at) => {
        gradient[at] = (gradient[at] ?? 0) + error * value;
        const line = curvature[at] ?? [];
        row.forEach((other, column) => {
          line[column] = (line[column] ?? 0) + spread * value * other;
        });
      });
    });
    const step = solve(curvature, gradient);
    weights = weights.map((weight, at) => weight - (step[at] ?? 0));
  }
  return weights;
}

/** Gauss elimination; the matrix is symmetric and positive. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  rows.forEach((row, pivot) => {
    for (const other of rows) {
      if (other === row) continue;
      const factor = (other[pivot] ?? 0) / (row[pivot] ?? 1);
      row.forEach((value, column) => {
        other[column] = (other[column] ?? 0) - factor * value;
      });
    }
  });
  return rows.map((row, index) => (row.at(-1) ?? 0) / (row[index] ?? 1));
}
