import { describe, expect, it } from 'vitest';
import { dotProduct } from '../../src/text/dot-product.ts';

describe('the dot product', () => {
  it('is the cosine of vectors of length 1', () => {
    expect(dotProduct(Float32Array.of(1, 2, 3), Float32Array.of(4, -5, 6))).toBe(12);
    expect(dotProduct(Float32Array.of(0.6, 0.8), Float32Array.of(0.8, 0.6))).toBeCloseTo(0.96, 6);
  });

  it.each([0, 1, 4, 7, 8, 13])('is that of all of %d numbers', (length) => {
    const vector = Float32Array.from({ length }, (_, at) => at + 1);
    const squares = (length * (length + 1) * (2 * length + 1)) / 6;
    expect(dotProduct(vector, vector)).toBe(squares);
  });
});
