import { z } from 'zod';
import { DIMENSIONS } from './encoder/layers.ts';

/** Signed bytes in base64, and what one step of them is worth. */
const bytes = z.object({ scale: z.number(), bytes: z.string() });

/** Weights of a kernel machine over vectors of the sentence encoder: its score is the weighed likeness to the texts of training. */
export const gaussianKernel = z.object({
  /** The kernel of two texts is exp(-gamma times their squared distance). */
  gamma: z.number(),
  /** The axes on which texts are compared, 512 numbers each. */
  axes: bytes,
  /** The texts of training, one number an axis. */
  landmarks: bytes,
  /** One weight a text of training. */
  weights: z.array(z.number()),
});

/** Weights of a kernel machine over vectors of the sentence encoder. */
export type GaussianKernel = z.infer<typeof gaussianKernel>;

const bytesOf = (base64: string) => new Int8Array(Buffer.from(base64, 'base64'));
const squareOf = (list: Float64Array) => list.reduce((sum, value) => sum + value * value, 0);

/** The mean of vectors, scaled to length 1; zeros where there is none. */
export function meanDirection(vectors: readonly Float32Array[]): Float64Array {
  const mean = new Float64Array(DIMENSIONS);
  for (const vector of vectors)
    for (let at = 0; at < DIMENSIONS; at += 1) mean[at] = (mean[at] as number) + (vector[at] as number);
  const length = Math.sqrt(squareOf(mean));
  return length === 0 ? mean : mean.map((value) => value / length);
}

/** Products of a list with each row of bytes, times their scale. A plain loop: `Float64Array.from` with a function takes three times as long. */
function products(rows: Int8Array, scale: number, list: Float64Array): Float64Array {
  const width = list.length;
  const sums = new Float64Array(rows.length / width);
  for (let row = 0; row < sums.length; row += 1) {
    let sum = 0;
    for (let at = 0; at < width; at += 1) sum += (rows[row * width + at] as number) * (list[at] as number);
    sums[row] = scale * sum;
  }
  return sums;
}

/**
 * Makes a reader of weights: the sum of the weights times the kernels of a vector, from which the mean of training was taken, with
 * the texts of training. Throws where axes, landmarks and weights do not fit together.
 */
export function createGaussianKernel(model: GaussianKernel): (vector: Float64Array) => number {
  const { gamma, weights } = model;
  const [axes, landmarks] = [bytesOf(model.axes.bytes), bytesOf(model.landmarks.bytes)];
  const width = axes.length / DIMENSIONS;
  if (landmarks.length !== weights.length * width) throw new Error('The text kernel is damaged.');
  const squares = weights.map(
    (_, row) =>
      model.landmarks.scale ** 2 *
      squareOf(Float64Array.from(landmarks.subarray(row * width, (row + 1) * width))),
  );
  return (vector) => {
    const text = products(axes, model.axes.scale, vector);
    const square = squareOf(text);
    const shared = products(landmarks, model.landmarks.scale, text);
    return weights.reduce((sum, weight, row) => {
      const distance = square + (squares[row] as number) - 2 * (shared[row] as number);
      return sum + weight * Math.exp(-gamma * distance);
    }, 0);
  };
}
