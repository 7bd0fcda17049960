import { describe, expect, it } from 'vitest';
import {
  createTextKernelReader,
  type TextKernel,
} from '../../../../../src/services/analysis/engines/techniques/text-kernel.ts';
import { DIMENSIONS } from '../../../../../src/text/encoder/layers.ts';

const axis = (at: number) => {
  const vector = new Float32Array(DIMENSIONS);
  vector[at] = 1;
  return vector;
};
const base64 = (...numbers: readonly number[]) =>
  Buffer.from(Int8Array.from(numbers).buffer).toString('base64');
const zeros = new Array<number>(DIMENSIONS).fill(0);

/** Two axes, the first two numbers of a vector; a loud text lies on the first, a calm one on the second. */
const model: TextKernel = {
  gamma: 2,
  bias: 0.5,
  centres: { en: zeros, ro: [0.5, ...zeros.slice(1)] },
  axes: { scale: 1, bytes: base64(...axis(0), ...axis(1)) },
  landmarks: { scale: 0.5, bytes: base64(2, 0, 0, 2) },
  weights: [3, -3],
};
const read = createTextKernelReader(model);
const far = 3 * Math.exp(-2 * 2);

describe('the kernel of a text', () => {
  it('weighs its likeness to each text of training', () => {
    expect(read([axis(0)], 'en')).toBeCloseTo(0.5 + 3 - far, 5);
    expect(read([axis(1)], 'en')).toBeCloseTo(0.5 - 3 + far, 5);
    expect(read([axis(5)], 'en')).toBeCloseTo(0.5, 5);
  });

  it('reads the mean of the sentences, of whatever length and order', () => {
    const [one, other] = [axis(0), axis(1)];
    expect(read([one, other], 'en')).toBeCloseTo(0.5, 5);
    expect(read([one, one, other], 'en')).toBeCloseTo(read([other, one, one], 'en'), 9);
  });

  it('takes the mean of the language from a text', () => {
    expect(read([axis(0)], 'ro')).toBeCloseTo(
      0.5 + 3 * Math.exp(-2 * 0.25) - 3 * Math.exp(-2 * (0.25 + 1)),
      5,
    );
  });

  it('refuses weights that do not fit together', () => {
    expect(() => createTextKernelReader({ ...model, weights: [1] })).toThrow('damaged');
  });
});
