import { STANCE_FEATURES } from '../../src/services/analysis/engines/stance/features.ts';
import { regressionScores } from '../../src/services/analysis/engines/stance/model.ts';
import { softmax } from '../../src/text/linear.ts';
import { randomStream } from '../rows.ts';
import type { Pair } from './examples.ts';

const training = { epochs: 4, rate: 0.01, l2: 1e-2, biasRate: 0.002, seed: 3 } as const;
const CLASSES = 3;

/** What is learned from: features of a pair, and its stance. */
export type Featured = Pick<Pair, 'stance'> & { readonly features: Float32Array };

/** A softmax regression over standardised features. */
interface Fitted {
  readonly mean: Float64Array;
  readonly deviation: Float64Array;
  readonly weights: readonly Float64Array[];
  readonly bias: Float64Array;
}

function standardise(part: readonly Featured[]): Pick<Fitted, 'mean' | 'deviation'> {
  const [mean, deviation] = [new Float64Array(STANCE_FEATURES), new Float64Array(STANCE_FEATURES)];
  for (const { features } of part)
    for (const [index, value] of features.entries()) mean[index] = (mean[index] ?? 0) + value / part.length;
  for (const { features } of part)
    for (const [index, value] of features.entries())
      deviation[index] = (deviation[index] ?? 0) + (value - (mean[index] ?? 0)) ** 2 / part.length;
  return { mean, deviation: deviation.map((value) => Math.sqrt(value) || 1) };
}

function step(fitted: Fitted, squares: readonly Float64Array[], example: Featured, rate: number): void {
  const { mean, deviation, weights, bias } = fitted;
  const guess = softmax(Float64Array.from(regressionScores(fitted, example.features)), 1);
  for (let stance = 0; stance < CLASSES; stance++) {
    const error = (guess[stance] ?? 0) - (example.stance === stance ? 1 : 0);
    const [row, sums] = [weights[stance], squares[stance]];
    bias[stance] = (bias[stance] ?? 0) - training.biasRate * error;
    if (row === undefined || sums === undefined) continue;
    for (let index = 0; index < row.length; index++) {
      const value = ((example.features[index] ?? 0) - (mean[index] ?? 0)) / (deviation[index] ?? 1);
      const slope = error * value + training.l2 * (row[index] ?? 0);
      sums[index] = (sums[index] ?? 0) + slope * slope;
      row[index] = (row[index] ?? 0) - (rate * slope) / Math.sqrt(sums[index] ?? 1);
    }
  }
}

/** Softmax regression by AdaGrad, one row at a time in a repeatable random order. */
export function fitRegression(part: readonly Featured[]): Fitted {
  const make = (fill: number) =>
    Array.from({ length: CLASSES }, () => new Float64Array(STANCE_FEATURES).fill(fill));
  const fitted: Fitted = { ...standardise(part), weights: make(0), bias: new Float64Array(CLASSES) };
  const squares = make(1e-4);
  const next = randomStream(training.seed);
  const order = [...part];
  for (let epoch = 0; epoch < training.epochs; epoch++) {
    for (let index = order.length - 1; index > 0; index--) {
      const other = Math.floor(next() * (index + 1));
      const [one, two] = [order[index], order[other]];
      if (one === undefined || two === undefined) continue;
      [order[index], order[other]] = [two, one];
    }
    for (const example of order)
      step(fitted, squares, example, training.rate * (1 - epoch / (training.epochs + 1)));
  }
  return fitted;
}
