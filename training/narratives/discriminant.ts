/** Linear discriminants of narrative families over sentence vectors: one shared scatter, since a family has few sentences. */
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';

/** A sentence to learn from; `family` is -1 where it asserts none. */
export interface Example {
  readonly vector: Float32Array;
  readonly family: number;
  /** 0 English, 1 Romanian: each has a mean of its own. */
  readonly language: number;
  readonly fold: number;
}

/** Directions of the families, and what each adds in each language. */
export interface Discriminant {
  readonly directions: readonly Float64Array[];
  readonly biases: readonly (readonly number[])[];
}

/** Pull of the scatter towards a sphere. */
const SHRINKAGE = 0.2;

interface Sums {
  readonly count: number;
  readonly sum: Float64Array;
}

const emptySums = (): Sums => ({ count: 0, sum: new Float64Array(DIMENSIONS) });

function added({ count, sum }: Sums, vector: Float64Array): Sums {
  for (let at = 0; at < DIMENSIONS; at += 1) sum[at] = (sum[at] as number) + (vector[at] as number);
  return { count: count + 1, sum };
}

function addSquare(scatter: Float64Array, vector: Float64Array, weight: number): void {
  for (let row = 0; row < DIMENSIONS; row += 1) {
    const value = weight * (vector[row] as number);
    const start = row * DIMENSIONS;
    for (let column = 0; column <= row; column += 1)
      scatter[start + column] = (scatter[start + column] as number) + value * (vector[column] as number);
  }
}

/** Lower triangle L with L L' = the matrix, whose lower triangle is given. */
function cholesky(matrix: Float64Array): Float64Array {
  const lower = new Float64Array(matrix);
  for (let row = 0; row < DIMENSIONS; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = lower[row * DIMENSIONS + column] as number;
      for (let at = 0; at < column; at += 1)
        sum -= (lower[row * DIMENSIONS + at] as number) * (lower[column * DIMENSIONS + at] as number);
      lower[row * DIMENSIONS + column] =
        row === column ? Math.sqrt(sum) : sum / (lower[column * DIMENSIONS + column] as number);
    }
  }
  return lower;
}

function solved(lower: Float64Array, right: Float64Array): Float64Array {
  const out = new Float64Array(right);
  for (let row = 0; row < DIMENSIONS; row += 1) {
    let sum = out[row] as number;
    for (let at = 0; at < row; at += 1) sum -= (lower[row * DIMENSIONS + at] as number) * (out[at] as number);
    out[row] = sum / (lower[row * DIMENSIONS + row] as number);
  }
  for (let row = DIMENSIONS - 1; row >= 0; row -= 1) {
    let sum = out[row] as number;
    for (let at = row + 1; at < DIMENSIONS; at += 1)
      sum -= (lower[at * DIMENSIONS + row] as number) * (out[at] as number);
    out[row] = sum / (lower[row * DIMENSIONS + row] as number);
  }
  return out;
}

const dot = (one: ArrayLike<number>, two: ArrayLike<number>) => {
  let sum = 0;
  for (let at = 0; at < DIMENSIONS; at += 1) sum += (one[at] as number) * (two[at] as number);
  return sum;
};

/** Sums of all examples, kept by fold so that each fold can be left out without reading the rest again. */
export class DiscriminantSums {
  /** Mean of the calm sentences of each language. */
  readonly means: readonly Float64Array[];
  private readonly calm = new Map<number, { count: number; scatter: Float64Array }>();
  private readonly told = new Map<number, { scatter: Float64Array; families: Sums[] }>();
  private readonly families: number;

  constructor(examples: readonly Example[], families: number) {
    this.families = families;
    this.means = [0, 1].map((language) => {
      const own = examples.filter((one) => one.family < 0 && one.language === language);
      const { count, sum } = own.reduce(
        (sums, one) => added(sums, Float64Array.from(one.vector)),
        emptySums(),
      );
      return sum.map((value) => value / Math.max(1, count));
    });
    for (const example of examples) this.add(example);
  }

  private add({ vector, family, language, fold }: Example): void {
    const mean = this.means[language] as Float64Array;
    const centred = Float64Array.from(vector, (value, at) => value - (mean[at] as number));
    const square = () => new Float64Array(DIMENSIONS * DIMENSIONS);
    if (family < 0) {
      const known = this.calm.get(fold) ?? { count: 0, scatter: square() };
      addSquare(known.scatter, centred, 1);
      this.calm.set(fold, { ...known, count: known.count + 1 });
      return;
    }
    const known = this.told.get(fold) ?? {
      scatter: square(),
      families: Array.from({ length: this.families }, emptySums),
    };
    addSquare(known.scatter, centred, 1);
    known.families[family] = added(known.families[family] as Sums, centred);
    this.told.set(fold, known);
  }

  /** The discriminants of all folds but one. */
  fit(without?: number): Discriminant {
    const kept = <Value>(sums: ReadonlyMap<number, Value>) =>
      [...sums].filter(([fold]) => fold !== without).map(([, value]) => value);
    const [calm, told] = [kept(this.calm), kept(this.told)];
    const centres = Array.from({ length: this.families }, (_, family) => {
      const parts = told.map(({ families }) => families[family] as Sums);
      const count = parts.reduce((sum, part) => sum + part.count, 0);
      const sum = new Float64Array(DIMENSIONS);
      for (const part of parts) added({ count: 0, sum }, part.sum);
      return { count, mean: sum.map((value) => value / Math.max(1, count)) };
    });
    const calmCount = calm.reduce((sum, { count }) => sum + count, 0);
    const toldCount = centres.reduce((sum, { count }) => sum + count, 0);
    const scatter = new Float64Array(DIMENSIONS * DIMENSIONS);
    const addTo = (part: Float64Array, weight: number) => {
      for (let at = 0; at < part.length; at += 1)
        scatter[at] = (scatter[at] as number) + weight * (part[at] as number);
    };
    for (const part of calm) addTo(part.scatter, 0.5 / calmCount);
    for (const part of told) addTo(part.scatter, 0.5 / toldCount);
    for (const { count, mean } of centres) addSquare(scatter, mean, (-0.5 * count) / toldCount);
    return this.directionsOf(
      scatter,
      centres.map(({ mean }) => mean),
    );
  }

  private directionsOf(scatter: Float64Array, centres: readonly Float64Array[]): Discriminant {
    let trace = 0;
    for (let at = 0; at < DIMENSIONS; at += 1) trace += scatter[at * DIMENSIONS + at] as number;
    const matrix = scatter.map((value) => (1 - SHRINKAGE) * value);
    for (let at = 0; at < DIMENSIONS; at += 1) {
      const place = at * DIMENSIONS + at;
      matrix[place] = (matrix[place] as number) + (SHRINKAGE * trace) / DIMENSIONS;
    }
    const lower = cholesky(matrix);
    const directions = centres.map((centre) => solved(lower, centre));
    const biases = directions.map((direction, family) =>
      this.means.map((mean) => -dot(direction, centres[family] ?? []) / 2 - dot(direction, mean)),
    );
    return { directions, biases };
  }
}

/** Score of a sentence for a family. */
export function discriminantScore(
  { directions, biases }: Discriminant,
  family: number,
  { vector, language }: Pick<Example, 'vector' | 'language'>,
): number {
  return dot(directions[family] ?? [], vector) + (biases[family]?.[language] ?? 0);
}

/** Slope and offset that make log-odds of scores, as if both sides were equally frequent. */
export function logisticLine(
  positive: readonly number[],
  negative: readonly number[],
): [slope: number, offset: number] {
  const mean = negative.reduce((sum, value) => sum + value, 0) / negative.length;
  const spread = Math.sqrt(negative.reduce((sum, value) => sum + (value - mean) ** 2, 0) / negative.length);
  const scaled = (values: readonly number[]) => values.map((value) => (value - mean) / spread);
  const [yes, no] = [scaled(positive), scaled(negative)];
  let [slope, offset] = [0.1, 0];
  for (let step = 0; step < 2000; step += 1) {
    let [towardsSlope, towardsOffset] = [0, 0];
    for (const value of yes) {
      const missing = 1 / (1 + Math.exp(slope * value + offset));
      towardsSlope += (missing * value) / yes.length;
      towardsOffset += missing / yes.length;
    }
    for (const value of no) {
      const chance = 1 / (1 + Math.exp(-(slope * value + offset)));
      towardsSlope -= (chance * value) / no.length;
      towardsOffset -= chance / no.length;
    }
    slope += 0.1 * towardsSlope;
    offset += 0.3 * towardsOffset;
  }
  return [slope / spread, offset - (slope * mean) / spread];
}
