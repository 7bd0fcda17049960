/** Kernels between texts: of their words, and of their vectors on principal axes (src/text/gaussian-kernel.ts). */
import type { GaussianKernel } from '../src/text/gaussian-kernel.ts';
import { principalAxes } from './principal-axes.ts';

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

/** Adds the Gaussian kernel of each pair of landmarks, times `share`, to `sums`. */
export function addGaussianKernel(
  sums: readonly Float32Array[],
  { places: { scale, bytes } }: Landmarks,
  { gamma, share }: { readonly gamma: number; readonly share: number },
): void {
  const squares = bytes.map((list) => list.reduce((sum, value) => sum + value * value, 0));
  bytes.forEach((one, row) => {
    const own = sums[row] as Float32Array;
    bytes.forEach((other, column) => {
      let product = 0;
      for (let at = 0; at < one.length; at += 1) product += (one[at] as number) * (other[at] as number);
      const distance = (squares[row] as number) + (squares[column] as number) - 2 * product;
      own[column] = (own[column] as number) + share * Math.exp(-gamma * scale * scale * distance);
    });
  });
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
