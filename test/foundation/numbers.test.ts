import { describe, expect, it } from 'vitest';
import { clamp, roundTo } from '../../src/foundation/numbers.ts';

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
});
