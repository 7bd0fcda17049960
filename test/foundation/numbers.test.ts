import { describe, expect, it } from 'vitest';
import { clamp, dotProduct, roundTo } from '../../src/foundation/numbers.ts';

describe('numbers', () => {
  it.each([
    [1.005, 1, 1],
    [0.12345, 4, 0.1235],
    [-2.5, 0, -2],
    [99.96, 1, 100],
  ])('rounds %d to %d places', (value, places, expected) => expect(roundTo(value, places)).toBe(expected));

  it.each([
    [-1, 0],
    [0.4, 0.4],
    [7, 1],
  ])('limits %d to the range from 0 to 1', (value, expected) => expect(clamp(value, 0, 1)).toBe(expected));

  it('multiply vectors; those of length 1 give their cosine', () => {
    expect(dotProduct(Float32Array.of(1, 2, 3), Float32Array.of(4, -5, 6))).toBe(12);
    expect(dotProduct(Float32Array.of(0.6, 0.8), Float32Array.of(0.8, 0.6))).toBeCloseTo(0.96, 6);
  });

  it.each([0, 1, 4, 7, 8, 13])('multiply vectors of %d numbers', (length) => {
    const vector = Float32Array.from({ length }, (_, at) => at + 1);
    const squares = (length * (length + 1) * (2 * length + 1)) / 6;
    expect(dotProduct(vector, vector)).toBe(squares);
  });
});
