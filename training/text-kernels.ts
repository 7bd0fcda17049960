/** Kernels between texts: of their words, and of their vectors on principal axes (src/text/gaussian-kernel.ts). */
import type { GaussianKernel } from '../src/text/gaussian-kernel.ts';
import { conjugateGradients } from './conjugate-gradients.ts';
import { principalAxes } from './principal-axes.ts';
import { shuffled } from './rows.ts';

/** Lists of numbers as signed bytes, and what one step is worth. */
interface PackedLists {
  readonly scale: number;
  readonly bytes: readonly Int8Array[];
}

/** All numbers as signed bytes. */
function packed(lists: readonly ArrayLike<number>[]): PackedLists {
  let largest = 0;
  for (const list of lists)
    for (let at = 0; at < list.length; at += 1) largest = Math.max(largest, Math.abs(list[at] as number));
  const scale = Number((largest / 127).toPrecision(6));
  const bytes = lists.map((list) => Int8Array.from(Array.from(list), (value) => Math.round(value / scale)));
  return { scale, bytes };
}

/** Vectors of training on their principal axes, in the bytes that the product reads. */
export interface Landmarks {
  readonly axes: PackedLists;
  readonly places: PackedLists;
}

/** Places vectors, from which the mean was taken, on their `count` principal axes. */
export function landmarksOf(centred: readonly Float32Array[], count: number): Landmarks {
  const axes = packed(principalAxes(centred, count));
  const places = centred.map((vector) =>
    Float32Array.from(axes.bytes, (axis) => {
      let sum = 0;
      for (let at = 0; at < axis.length; at += 1) sum += (axis[at] as number) * (vector[at] as number);
      return axes.scale * sum;
    }),
  );
  return { axes, places: packed(places) };
}

const squareOf = (list: Int8Array) => list.reduce((sum, value) => sum + value * value, 0);

/** Calls `each` with the Gaussian kernels of each landmark, in order, with all of `others`. */
function eachRow(
  landmarks: readonly Int8Array[],
  others: readonly Int8Array[],
  steepness: number,
  each: (kernels: Float32Array, row: number) => void,
): void {
  const squares = others.map(squareOf);
  landmarks.forEach((one, row) => {
    const square = squareOf(one);
    const kernels = new Float32Array(others.length);
    others.forEach((other, column) => {
      let product = 0;
      for (let at = 0; at < one.length; at += 1) product += (one[at] as number) * (other[at] as number);
      kernels[column] = Math.exp(-steepness * (square + (squares[column] as number) - 2 * product));
    });
    each(kernels, row);
  });
}

/** Adds the Gaussian kernel of each pair of landmarks, times `share`, to `sums`. */
export function addGaussianKernel(
  sums: readonly Float32Array[],
  { places: { scale, bytes } }: Landmarks,
  { gamma, share }: { readonly gamma: number; readonly share: number },
): void {
  eachRow(bytes, bytes, gamma * scale ** 2, (kernels, row) => {
    const own = sums[row] as Float32Array;
    for (let at = 0; at < own.length; at += 1)
      own[at] = (own[at] as number) + share * (kernels[at] as number);
  });
}

/** How a kernel machine is thinned. */
interface Thinning {
  /** Landmarks that are kept, drawn at random. */
  readonly count: number;
  readonly gamma: number;
  /** Keeps their weights small. */
  readonly ridge: number;
}

/** A kernel machine: landmarks and a weight for each. */
interface Machine {
  readonly landmarks: Landmarks;
  readonly weights: Float64Array;
}

const DRAW_SEED = 5;
const THINNING_STEPS = { steps: 200, least: 1e-9 };

const sumOf = (kernels: Float32Array, weights: Float64Array) => {
  let sum = 0;
  for (let at = 0; at < kernels.length; at += 1) sum += (kernels[at] as number) * (weights[at] as number);
  return sum;
};

/**
 * The machine of fewer landmarks whose scores on all of them come nearest to those of the whole one, by least squares (the Nyström
 * method: Williams and Seeger, 2001). Reading a text costs less in proportion.
 */
export function thinned(
  { landmarks: { axes, places }, weights }: Machine,
  { count, gamma, ridge }: Thinning,
): Machine {
  const { scale, bytes } = places;
  const steepness = gamma * scale ** 2;
  const kept = shuffled(bytes, DRAW_SEED).slice(0, count);
  const kernel: Float32Array[] = [];
  const scores = new Float64Array(bytes.length);
  eachRow(bytes, kept, steepness, (kernels) => kernel.push(kernels));
  eachRow(bytes, bytes, steepness, (kernels, row) => {
    scores[row] = sumOf(kernels, weights);
  });
  const gathered = (values: Float64Array) => {
    const sums = new Float64Array(kept.length);
    kernel.forEach((kernels, row) => {
      const value = values[row] as number;
      for (let at = 0; at < sums.length; at += 1)
        sums[at] = (sums[at] as number) + value * (kernels[at] as number);
    });
    return sums;
  };
  const image = (x: Float64Array) =>
    gathered(Float64Array.from(kernel, (kernels) => sumOf(kernels, x))).map(
      (value, at) => value + ridge * (x[at] as number),
    );
  return {
    landmarks: { axes, places: { scale, bytes: kept } },
    weights: conjugateGradients(image, gathered(scores), THINNING_STEPS),
  };
}

/** A number of a sparse vector and its place. */
interface SparseValue {
  readonly place: number;
  readonly value: number;
}

/** Adds the inner product of each pair of sparse vectors, times `share`, to `sums`. */
export function addLinearKernel(
  sums: readonly Float32Array[],
  texts: readonly (readonly SparseValue[])[],
  share: number,
): void {
  const holders = new Map<number, { row: number; value: number }[]>();
  texts.forEach((values, row) => {
    for (const { place, value } of values) {
      const known = holders.get(place) ?? [];
      known.push({ row, value });
      holders.set(place, known);
    }
  });
  for (const rows of holders.values())
    for (const one of rows) {
      const own = sums[one.row] as Float32Array;
      for (const other of rows) own[other.row] = (own[other.row] as number) + share * one.value * other.value;
    }
}

/** Weights of the numbers of sparse vectors, from those of the texts. */
export function linearWeights(
  texts: readonly (readonly SparseValue[])[],
  weights: ArrayLike<number>,
  { size, share }: { readonly size: number; readonly share: number },
): Float64Array {
  const sums = new Float64Array(size);
  texts.forEach((values, row) => {
    for (const { place, value } of values)
      sums[place] = (sums[place] as number) + share * (weights[row] as number) * value;
  });
  return sums;
}

const base64 = (lists: readonly Int8Array[]) =>
  Buffer.from(lists.flatMap((list) => [...list])).toString('base64');

/** Landmarks and their weights as they stand in a model file. */
export function gaussianKernelFile(
  { axes, places }: Landmarks,
  { gamma, weights }: { readonly gamma: number; readonly weights: ArrayLike<number> },
): GaussianKernel {
  return {
    gamma,
    axes: { scale: axes.scale, bytes: base64(axes.bytes) },
    landmarks: { scale: places.scale, bytes: base64(places.bytes) },
    weights: Array.from(weights, (weight) => Number(weight.toPrecision(4))),
  };
}
