import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64, toBase64, toNumbers, truncateVector } from '../../../src/services/embeddings/vectors.ts';

const floats = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 20 });

describe('vectors', () => {
  it('come back from base64 and from JSON as the same floats', () => {
    fc.assert(
      fc.property(floats, (numbers) => {
        const vector = Float32Array.from(numbers);
        expect(fromBase64(toBase64(vector))).toEqual(vector);
        // JSON has no negative zero.
        const positive = vector.map((number) => number + 0);
        expect(Float32Array.from(JSON.parse(JSON.stringify(toNumbers(positive))))).toEqual(positive);
      }),
    );
  });

  it('are little-endian', () => expect(toBase64(Float32Array.of(1))).toBe('AACAPw=='));

  it('keep their direction when they are shortened', () => {
    expect([...truncateVector(Float32Array.of(3, 4, 9), 2)].map((number) => number.toFixed(4))).toEqual([
      '0.6000',
      '0.8000',
    ]);
    expect([...truncateVector(Float32Array.of(0, 0, 9), 2)]).toEqual([0, 0]);
  });
});
