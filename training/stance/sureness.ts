import {
  type ConfidenceScaling,
  confidenceFactor,
  scaleConfidence,
} from '../../src/services/analysis/engines/stance/confidence-scaling.ts';
import { FOLDS, foldOf } from './examples.ts';
import type { JudgedPair } from './report.ts';

/** A judged pair with what tells how sure to be of it. */
type WithInputs = JudgedPair & { readonly inputs: readonly number[] };

const [STEPS, RATE, PULL] = [150, 0.03, 1e-3];
/** Rows of a corpus count by this power of their number: the largest does not decide alone how sure to be of all. */
const WEIGHING = 0.6;

const short = (value: number) => Number(value.toPrecision(5));

function scaleOf(rows: readonly WithInputs[]) {
  const places = (rows[0]?.inputs ?? []).map((_, at) => at);
  const mean = places.map(
    (at) => rows.reduce((sum, { inputs }) => sum + (inputs[at] as number), 0) / rows.length,
  );
  const deviation = places.map((at) => {
    const squares = rows.reduce(
      (sum, { inputs }) => sum + ((inputs[at] as number) - (mean[at] as number)) ** 2,
      0,
    );
    return Math.sqrt(squares / rows.length) || 1;
  });
  return { mean: mean.map(short), deviation: deviation.map(short) };
}

/** What each row counts, in all 1. */
function countsOf(rows: readonly WithInputs[]): number[] {
  const sizes = new Map<string, number>();
  for (const { source } of rows) sizes.set(source, (sizes.get(source) ?? 0) + 1);
  const counts = rows.map(({ source }) => (sizes.get(source) as number) ** -WEIGHING);
  const whole = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => count / whole);
}

/** The weights under which sharpened probabilities of pairs are likeliest, by Adam; the last one is the bias. */
function fitSureness(rows: readonly WithInputs[]): ConfidenceScaling {
  const scale = scaleOf(rows);
  const standard = rows.map(({ inputs }) => [
    ...inputs.map((value, at) => (value - (scale.mean[at] as number)) / (scale.deviation[at] as number)),
    1,
  ]);
  const counts = countsOf(rows);
  const size = scale.mean.length + 1;
  const weights = new Array<number>(size).fill(0);
  const [first, second] = [new Float64Array(size), new Float64Array(size)];
  for (let step = 1; step <= STEPS; step++) {
    const slope = slopeOf(rows, { standard, counts, weights });
    for (let at = 0; at < size; at++) {
      first[at] = 0.9 * (first[at] ?? 0) + 0.1 * (slope[at] ?? 0);
      second[at] = 0.999 * (second[at] ?? 0) + 0.001 * (slope[at] ?? 0) ** 2;
      const length = Math.sqrt((second[at] ?? 0) / (1 - 0.999 ** step)) + 1e-8;
      weights[at] = (weights[at] ?? 0) - (RATE * (first[at] ?? 0)) / (1 - 0.9 ** step) / length;
    }
  }
  return { ...scale, weights: weights.slice(0, -1).map(short), bias: short(weights.at(-1) ?? 0) };
}

interface Fit {
  readonly standard: readonly (readonly number[])[];
  readonly counts: readonly number[];
  readonly weights: readonly number[];
}

/** Slope of the mean log loss, with a pull towards 0. */
function slopeOf(rows: readonly WithInputs[], { standard, counts, weights }: Fit): Float64Array {
  const slope = Float64Array.from(weights, (weight) => 2 * PULL * weight);
  for (const [index, { guess, stance }] of rows.entries()) {
    const values = standard[index] ?? [];
    const factor = Math.exp(values.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0));
    const said = scaleConfidence(guess, factor);
    const logs = guess.map((value) => Math.log(Math.max(1e-9, value)));
    const expected = logs.reduce((sum, value, at) => sum + value * (said[at] ?? 0), 0);
    const error = (expected - (logs[stance] ?? 0)) * factor * (counts[index] as number);
    for (let at = 0; at < slope.length; at++) slope[at] = (slope[at] ?? 0) + error * (values[at] ?? 0);
  }
  return slope;
}

/** How sure to be of which pairs, and the pairs judged so, each fold by what the others say. */
export function withSureness<Row extends WithInputs>(rows: readonly Row[]) {
  const sure = Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
    const fitted = fitSureness(rows.filter((row) => foldOf(row) !== fold));
    return rows
      .filter((row) => foldOf(row) === fold)
      .map((row) => ({ ...row, guess: scaleConfidence(row.guess, confidenceFactor(fitted, row.inputs)) }));
  });
  return { sureness: fitSureness(rows), sure };
}
