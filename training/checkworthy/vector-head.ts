/** The part of the check-worthiness models that reads vectors, and its mix with the parts that read words. */
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import { type DenseModel, denseScore, trainDenseModel } from '../diffuse/dense.ts';
import { trainDense } from '../techniques/stages.ts';

/** A sentence with its vector and its two answers: check-worthy, and a statement of fact. */
export interface VectorRow {
  readonly vector: Float32Array;
  readonly truths: readonly [boolean, boolean];
}

/** Weights of both answers for the vector of a sentence. */
export function trainVectors(rows: readonly VectorRow[]): DenseModel {
  return trainDenseModel({
    count: rows.length,
    width: DIMENSIONS,
    row: (index, out) => out.set(rows[index]?.vector ?? []),
    targets: rows.map(({ truths }) => truths.map(Number)),
    outputs: 2,
    link: 'logistic',
    epochs: 8,
    rate: 0.03,
    decay: 3e-4,
  });
}

/** Raw scores of both answers. */
export const vectorScores = (model: DenseModel, vector: Float32Array): [number, number] => [
  denseScore(model, 0, vector),
  denseScore(model, 1, vector),
];

/** Scores of a sentence by models that had not seen it. */
export interface Unseen {
  readonly own: readonly [number, number];
  readonly encoder: readonly [number, number];
  readonly truths: readonly [boolean, boolean];
}

/** Shares of the two scores, and a constant, for each answer: a logistic regression over scores of unseen sentences. */
export function fitShares(rows: readonly Unseen[]): {
  own: [number, number];
  encoder: [number, number];
  bias: [number, number];
} {
  const fitted = ([0, 1] as const).map((label) =>
    trainDense(
      rows.map(({ own, encoder }) => Float64Array.of(1, own[label], encoder[label])),
      rows.map(({ truths }) => (truths[label] ? 1 : 0)),
      0,
    ),
  );
  const [first = [], second = []] = fitted;
  const both = (at: number): [number, number] => [first[at] ?? 0, second[at] ?? 0];
  return { bias: both(0), own: both(1), encoder: both(2) };
}
