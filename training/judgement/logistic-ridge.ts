import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import { conjugateGradients } from '../conjugate-gradients.ts';

/** A vector with what it is an example of (0 or 1), and how much it counts. */
export interface WeighedVector {
  readonly vector: Float32Array;
  readonly target: number;
  readonly weight: number;
}

const WIDTH = DIMENSIONS + 1;
const NEWTON_STEPS = 7;
const SOLVER = { steps: 40, least: 1e-12 };

function scoreOf(weights: Float64Array, vector: Float32Array): number {
  let sum = weights[DIMENSIONS] as number;
  for (let at = 0; at < DIMENSIONS; at += 1) sum += (weights[at] as number) * (vector[at] as number);
  return sum;
}

/** Adds `factor` times a vector, and `factor` for the bias. */
function addTo(sums: Float64Array, vector: Float32Array, factor: number): void {
  for (let at = 0; at < DIMENSIONS; at += 1)
    sums[at] = (sums[at] as number) + factor * (vector[at] as number);
  sums[DIMENSIONS] = (sums[DIMENSIONS] as number) + factor;
}

/**
 * Logistic regression with a quadratic penalty, by Newton's method: one weight for each number of a vector and, last, the bias, which
 * is free. Both targets weigh alike in sum.
 */
export function logisticRidge(rows: readonly WeighedVector[], penalty: number): Float64Array {
  const total = (target: number) =>
    rows.reduce((sum, row) => sum + (row.target === target ? row.weight : 0), 0);
  const balance = total(0) / Math.max(total(1), Number.MIN_VALUE);
  const counts = rows.map(({ target, weight }) => (target === 1 ? weight * balance : weight));
  const weights = new Float64Array(WIDTH);
  const pull = (at: number) => (at < DIMENSIONS ? penalty : 1e-6);
  for (let step = 0; step < NEWTON_STEPS; step += 1) {
    const slope = weights.map((weight, at) => -pull(at) * weight);
    const curve = rows.map(({ vector, target }, index) => {
      const chance = 1 / (1 + Math.exp(-scoreOf(weights, vector)));
      addTo(slope, vector, (counts[index] ?? 0) * (target - chance));
      return (counts[index] ?? 0) * chance * (1 - chance);
    });
    const change = conjugateGradients(
      (x) => {
        const image = x.map((value, at) => pull(at) * value);
        rows.forEach(({ vector }, index) => {
          addTo(image, vector, (curve[index] ?? 0) * scoreOf(x, vector));
        });
        return image;
      },
      slope,
      SOLVER,
    );
    for (let at = 0; at < WIDTH; at += 1) weights[at] = (weights[at] as number) + (change[at] as number);
  }
  return weights;
}
