import { describe, expect, it } from 'vitest';
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import { createGaussianKernel, meanDirection } from '../../src/text/gaussian-kernel.ts';

const numbers = (...values: readonly number[]) =>
  Float32Array.from({ length: DIMENSIONS }, (_, at) => values[at] ?? 0);
const base64 = (...values: readonly number[]) =>
  Buffer.from(Int8Array.from(values).buffer).toString('base64');

describe('a Gaussian kernel', () => {
  const model = {
    gamma: 0.5,
    axes: { scale: 0.5, bytes: base64(...numbers(2), ...numbers(0, 2)) },
    landmarks: { scale: 0.1, bytes: base64(10, 0, 0, 20) },
    weights: [4, -1],
  };

  it('weighs the squared distance to each text of training on the axes', () => {
    const likeness = createGaussianKernel(model);
    expect(likeness(Float64Array.from(numbers(1, 0)))).toBeCloseTo(4 - Math.exp(-0.5 * 5), 9);
    expect(likeness(Float64Array.from(numbers(0, 0, 7)))).toBeCloseTo(
      4 * Math.exp(-0.5) - Math.exp(-0.5 * 4),
      9,
    );
  });

  it('refuses weights that do not fit together', () => {
    expect(() => createGaussianKernel({ ...model, weights: [1] })).toThrow('damaged');
  });
});

describe('the direction of the mean', () => {
  it('has length 1 whatever the lengths of the vectors', () => {
    expect(meanDirection([numbers(3), numbers(0, 4)]).slice(0, 3)).toEqual(Float64Array.of(0.6, 0.8, 0));
  });

  it('is zero where there is no vector', () => {
    expect(meanDirection([]).every((value) => value === 0)).toBe(true);
  });
});
