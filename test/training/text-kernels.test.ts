import { describe, expect, it } from 'vitest';
import { createGaussianKernel } from '../../src/text/gaussian-kernel.ts';
import { randomStream } from '../../training/rows.ts';
import { gaussianKernelFile, landmarksOf, thinned } from '../../training/text-kernels.ts';

const WIDTH = 512;
const GAMMA = 0.5;
const random = randomStream(3);
/** Vectors near one of a few places, as texts of few subjects are. */
const vectors = Array.from({ length: 120 }, (_, row) =>
  Float32Array.from({ length: WIDTH }, (__, at) => (at % 8 === row % 8 ? 0.1 : 0) + 0.02 * (random() - 0.5)),
);
const landmarks = landmarksOf(vectors, 16);
const weights = Float64Array.from(vectors, (_, row) => (row % 8 < 4 ? 1 : -1) + 0.1 * (random() - 0.5));
const readerOf = (machine: { landmarks: typeof landmarks; weights: Float64Array }) =>
  createGaussianKernel(gaussianKernelFile(machine.landmarks, { gamma: GAMMA, weights: machine.weights }));
const scoresOf = (read: (vector: Float64Array) => number) =>
  vectors.map((vector) => read(Float64Array.from(vector)));

describe('a thinned kernel machine', () => {
  const whole = scoresOf(readerOf({ landmarks, weights }));

  it('scores nearly as the whole one does, from fewer landmarks', () => {
    const few = thinned({ landmarks, weights }, { count: 24, gamma: GAMMA, ridge: 1e-6 });
    expect(few.landmarks.places.bytes).toHaveLength(24);
    expect(few.weights).toHaveLength(24);
    const spread = Math.max(...whole) - Math.min(...whole);
    scoresOf(readerOf(few)).forEach((score, at) => {
      expect(Math.abs(score - (whole[at] as number))).toBeLessThan(0.02 * spread);
    });
  });

  it('is the whole one where as many landmarks may stay', () => {
    const all = thinned({ landmarks, weights }, { count: 500, gamma: GAMMA, ridge: 1e-9 });
    expect(all.landmarks.places.bytes).toHaveLength(vectors.length);
    scoresOf(readerOf(all)).forEach((score, at) => {
      expect(score).toBeCloseTo(whole[at] as number, 2);
    });
  });
});
