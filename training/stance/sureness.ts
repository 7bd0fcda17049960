import {
  confidenceFactor,
  scaleConfidence,
} from '../../src/services/analysis/engines/stance/confidence-scaling.ts';
import { FOLDS, foldOf } from './examples.ts';
import type { JudgedPair } from './report.ts';

/** A judged pair with the features that it was judged by. */
type Featured = JudgedPair & { readonly features: ArrayLike<number> };
interface Scale {
  readonly mean: ArrayLike<number>;
  readonly deviation: ArrayLike<number>;
}

/**
 * Features by which a model that is surer than right is told: cosine of the nearest sentence, share of the claim that is found, length
 * of the nearest sentence, shares of the claim's words that it has and lacks, share of its words that the claim has, nothing alone.
 */
const PLACES = [0, 11, 20, 22, 27, 28, 44] as const;
const [STEPS, RATE, PULL] = [120, 0.02, 1e-3];

/** The weights under which sharpened probabilities of pairs are likeliest, by Adam; the last one is the bias. */
function fitSureness(rows: readonly Featured[], { mean, deviation }: Scale) {
  const standard = rows.map(({ features }) => [
    ...PLACES.map((place) => ((features[place] ?? 0) - (mean[place] ?? 0)) / (deviation[place] ?? 1)),
    1,
  ]);
  const count = PLACES.length + 1;
  const weights = new Array<number>(count).fill(0);
  const [first, second] = [new Float64Array(count), new Float64Array(count)];
  for (let step = 1; step <= STEPS; step++) {
    const slope = Float64Array.from(weights, (weight) => 2 * PULL * weight);
    for (const [index, { guess, stance }] of rows.entries()) {
      const values = standard[index] ?? [];
      const factor = Math.exp(values.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0));
      const said = scaleConfidence(guess, factor);
      const logs = guess.map((value) => Math.log(Math.max(1e-9, value)));
      const expected = logs.reduce((sum, value, at) => sum + value * (said[at] ?? 0), 0);
      const error = ((expected - (logs[stance] ?? 0)) * factor) / rows.length;
      for (let at = 0; at < count; at++) slope[at] = (slope[at] ?? 0) + error * (values[at] ?? 0);
    }
    for (let at = 0; at < count; at++) {
      first[at] = 0.9 * (first[at] ?? 0) + 0.1 * (slope[at] ?? 0);
      second[at] = 0.999 * (second[at] ?? 0) + 0.001 * (slope[at] ?? 0) ** 2;
      const size = Math.sqrt((second[at] ?? 0) / (1 - 0.999 ** step)) + 1e-8;
      weights[at] = (weights[at] ?? 0) - (RATE * (first[at] ?? 0)) / (1 - 0.9 ** step) / size;
    }
  }
  const short = (value: number) => Number(value.toPrecision(5));
  return {
    places: [...PLACES],
    weights: weights.slice(0, -1).map(short),
    bias: short(weights.at(-1) ?? 0),
  };
}

/** How sure to be of which pairs, and the pairs judged so, each fold by what the others say. */
export function withSureness<Row extends Featured>(rows: readonly Row[], scale: Scale) {
  const sure = Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
    const fitted = fitSureness(
      rows.filter((row) => foldOf(row) !== fold),
      scale,
    );
    return rows
      .filter((row) => foldOf(row) === fold)
      .map((row) => ({
        ...row,
        guess: scaleConfidence(row.guess, confidenceFactor(fitted, scale, row.features)),
      }));
  });
  return { sureness: fitSureness(rows, scale), sure };
}
