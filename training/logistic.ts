import type { Features } from '../src/text/features.ts';
import { softmax } from '../src/text/linear.ts';
import { sigmoid } from '../src/text/logistic.ts';
import { randomStream } from './rows.ts';

/** A training row: targets hold one number (0 to 1) per label, NaN where it was not annotated; weight scales its loss. */
export interface Example {
  features: Features;
  targets: Float32Array;
  weight: number;
}

/** Settings of a training run. */
export interface TrainingOptions {
  labels: number;
  bits: number;
  link: 'logistic' | 'softmax';
  epochs: number;
  /** AdaGrad step size. */
  rate: number;
  /** Strength of the L2 penalty, applied to the weights that a row touches. */
  l2: number;
  seed: number;
}

/** Weights (bucket by bucket) and bias per label. */
export interface TrainedWeights {
  weights: Float32Array;
  bias: Float64Array;
}

/** Logistic or softmax regression by AdaGrad, one row at a time in a repeatable random order. */
export function trainLinear(examples: readonly Example[], options: TrainingOptions): TrainedWeights {
  const size = options.labels * 2 ** options.bits;
  const state: State = {
    weights: new Float32Array(size),
    bias: new Float64Array(options.labels),
    squares: new Float32Array(size).fill(1e-4),
    biasSquares: new Float64Array(options.labels).fill(1),
  };
  const random = randomStream(options.seed);
  const order = Uint32Array.from(examples.keys());
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    shuffleInPlace(order, random);
    // Steps shrink towards the end, which settles the weights as averaging would.
    const rate = options.rate * (1 - epoch / (options.epochs + 1));
    for (const index of order) {
      const example = examples[index];
      if (example) step(state, example, options, rate);
    }
  }
  return { weights: state.weights, bias: state.bias };
}

interface State extends TrainedWeights {
  squares: Float32Array;
  biasSquares: Float64Array;
}

function step(state: State, example: Example, options: TrainingOptions, rate: number): void {
  const { labels, l2 } = options;
  const errors = errorsOf(state, example, options);
  const { indices, values } = example.features;
  for (let position = 0; position < indices.length; position++) {
    const row = (indices[position] ?? 0) * labels;
    const value = values[position] ?? 0;
    for (let label = 0; label < labels; label++) {
      const weight = state.weights[row + label] ?? 0;
      const gradient = (errors[label] ?? 0) * value + l2 * weight;
      const square = (state.squares[row + label] ?? 0) + gradient * gradient;
      state.squares[row + label] = square;
      state.weights[row + label] = weight - (rate * gradient) / Math.sqrt(square);
    }
  }
  for (let label = 0; label < labels; label++) {
    const gradient = errors[label] ?? 0;
    const square = (state.biasSquares[label] ?? 0) + gradient * gradient;
    state.biasSquares[label] = square;
    state.bias[label] = (state.bias[label] ?? 0) - (rate * gradient) / Math.sqrt(square);
  }
}

function errorsOf(state: State, example: Example, options: TrainingOptions): Float64Array {
  const margins = rawMargins(state, example.features, options.labels);
  const predicted = options.link === 'softmax' ? softmax(margins, 1) : margins.map(sigmoid);
  return predicted.map((share, label) => {
    const target = example.targets[label] ?? 0;
    return Number.isNaN(target) ? 0 : (share - target) * example.weight;
  });
}

/** Uncalibrated scores of trained weights that are not yet in a model file. */
export function rawMargins(trained: TrainedWeights, features: Features, labels: number): Float64Array {
  const sums = Float64Array.from(trained.bias);
  for (let position = 0; position < features.indices.length; position++) {
    const row = (features.indices[position] ?? 0) * labels;
    const value = features.values[position] ?? 0;
    for (let label = 0; label < labels; label++) {
      sums[label] = (sums[label] ?? 0) + (trained.weights[row + label] ?? 0) * value;
    }
  }
  return sums;
}

function shuffleInPlace(order: Uint32Array, random: () => number): void {
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const kept = order[last] ?? 0;
    order[last] = order[other] ?? 0;
    order[other] = kept;
  }
}

/** Platt's slope and intercept that turn margins into probabilities, by Newton steps on held-out margins. */
export function plattScale(
  margins: readonly number[],
  truths: readonly boolean[],
): { slope: number; intercept: number } {
  let slope = 1;
  let intercept = 0;
  for (let round = 0; round < 100; round++) {
    const sums = { slope: 0, intercept: 0, ss: 1e-6, si: 0, ii: 1e-6 };
    margins.forEach((margin, index) => {
      const predicted = sigmoid(slope * margin + intercept);
      const error = predicted - (truths[index] ? 1 : 0);
      const spread = Math.max(predicted * (1 - predicted), 1e-9);
      sums.slope += error * margin;
      sums.intercept += error;
      sums.ss += spread * margin * margin;
      sums.si += spread * margin;
      sums.ii += spread;
    });
    const determinant = sums.ss * sums.ii - sums.si * sums.si;
    if (Math.abs(determinant) < 1e-12) break;
    const slopeStep = (sums.ii * sums.slope - sums.si * sums.intercept) / determinant;
    const interceptStep = (sums.ss * sums.intercept - sums.si * sums.slope) / determinant;
    slope -= slopeStep;
    intercept -= interceptStep;
    if (Math.abs(slopeStep) + Math.abs(interceptStep) < 1e-8) break;
  }
  return { slope, intercept };
}
