/** Support vector machines over features that are scaled by how much more often they stand with a label (NB-SVM of Wang and Manning). */
import type { Features } from '../../src/text/features.ts';
import type { Example, TrainedWeights } from '../logistic.ts';
import { randomStream, shuffled } from '../rows.ts';

/** How machines are fitted. */
export interface RatioRecipe {
  /** Rows that every feature is thought to have had beforehand, with a label and without it. */
  readonly prior: number;
  /** What a row on the wrong side costs. */
  readonly cost: number;
  readonly rounds: number;
  readonly seed: number;
}

/** The logarithm of how much larger the share of a feature is in rows that have a label than in the others. */
export function logRatios(
  rows: readonly Features[],
  has: (index: number) => boolean,
  { bits, prior }: { readonly bits: number; readonly prior: number },
): Float32Array {
  const [yes, no] = [
    new Float64Array(2 ** bits).fill(prior),
    new Float64Array(2 ** bits).fill(prior),
  ] as const;
  rows.forEach(({ indices }, index) => {
    const counts = has(index) ? yes : no;
    for (const bucket of indices) counts[bucket] = (counts[bucket] ?? 0) + 1;
  });
  const sum = (counts: Float64Array) => counts.reduce((total, count) => total + count, 0);
  const whole = Math.log(sum(no) / sum(yes));
  return Float32Array.from(yes, (count, bucket) => Math.log(count / (no[bucket] ?? prior)) + whole);
}

interface Machine {
  readonly weights: Float32Array;
  bias: number;
}

function marginOf({ weights, bias }: Machine, { indices, values }: Features): number {
  let sum = bias;
  for (let at = 0; at < indices.length; at++)
    sum += (weights[indices[at] as number] as number) * (values[at] as number);
  return sum;
}

/** A machine with squared loss, by coordinates of the dual (Hsieh and others, 2008). */
function fitMachine(
  rows: readonly Features[],
  has: (index: number) => boolean,
  { cost, rounds, seed, bits }: RatioRecipe & { readonly bits: number },
): Machine {
  const machine = { weights: new Float32Array(2 ** bits), bias: 0 };
  const [slack, duals] = [1 / (2 * cost), new Float64Array(rows.length)];
  const sizes = rows.map(({ values }) => values.reduce((sum, value) => sum + value * value, 1 + slack));
  const random = randomStream(seed);
  for (let round = 0; round < rounds; round++) {
    for (const index of shuffled([...rows.keys()], Math.floor(random() * 2 ** 31))) {
      const [row, before, side] = [rows[index] as Features, duals[index] ?? 0, has(index) ? 1 : -1];
      const slope = side * marginOf(machine, row) - 1 + slack * before;
      const after = Math.max(0, before - slope / (sizes[index] ?? 1));
      if (after === before) continue;
      duals[index] = after;
      const step = (after - before) * side;
      machine.bias += step;
      for (let at = 0; at < row.indices.length; at++) {
        const bucket = row.indices[at] as number;
        machine.weights[bucket] = (machine.weights[bucket] as number) + step * (row.values[at] as number);
      }
    }
  }
  return machine;
}

/** One machine for each label, whose weights already hold the ratios: read as those of any linear model. */
export function trainRatioMachines(
  examples: readonly Example[],
  { labels, bits }: { readonly labels: number; readonly bits: number },
  recipe: RatioRecipe,
): TrainedWeights {
  const trained = { weights: new Float32Array(labels * 2 ** bits), bias: new Float64Array(labels) };
  const rows = examples.map(({ features }) => features);
  for (let label = 0; label < labels; label++) {
    const has = (index: number) => examples[index]?.targets[label] === 1;
    const ratios = logRatios(rows, has, { bits, prior: recipe.prior });
    const scaled = rows.map(({ indices, values }) => ({
      indices,
      values: values.map((value, at) => value * (ratios[indices[at] ?? 0] ?? 0)),
    }));
    const { weights, bias } = fitMachine(scaled, has, { ...recipe, bits });
    trained.bias[label] = bias;
    weights.forEach((weight, bucket) => {
      trained.weights[bucket * labels + label] = weight * (ratios[bucket] ?? 0);
    });
  }
  return trained;
}
