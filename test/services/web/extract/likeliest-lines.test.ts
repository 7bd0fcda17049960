import { describe, expect, it } from 'vitest';
import { likeliestLines } from '../../../../src/services/web/extract/likeliest-lines.ts';

describe('the likeliest lines', () => {
  it.each([
    ['certain ones', [10, 10, 10], [1, 0, 1], [true, false, true]],
    ['all that are likelier than not', [10, 10, 10], [0.9, 0.6, 0.1], [true, true, false]],
    ['the best of a page in doubt', [10, 10, 200], [0.3, 0.3, 0.05], [true, true, false]],
    ['none without any chance', [10, 10], [0, 0], [false, false]],
    ['none of an empty page', [], [], []],
  ] as const)('are %s', (_what, words, chances, chosen) => {
    expect(likeliestLines([...words], Float32Array.from(chances))).toEqual(chosen);
  });

  it('weigh words: a long doubtful line costs more than a short one', () => {
    const chances = Float32Array.from([0.95, 0.4]);
    expect(likeliestLines([100, 5], chances)).toEqual([true, false]);
    expect(likeliestLines([5, 100], chances)).toEqual([true, true]);
  });
});
