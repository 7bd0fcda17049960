import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byWeight,
  countedPassages,
  findingWeight,
  noisyOr,
  scaledWeights,
} from '../../../../src/services/analysis/resources/technique-weight.ts';

describe('presence', () => {
  it('is the chance of at least one', () => {
    expect(noisyOr([])).toBe(0);
    expect(noisyOr([0.5, 0.5])).toBe(0.75);
  });
});

describe('weights of passages that count less', () => {
  const weights = fc.array(fc.double({ min: 0, max: 0.99, noNaN: true }), { minLength: 1, maxLength: 6 });
  const factor = fc.double({ min: 0, max: 1, noNaN: true });

  it('count so many times as much together, and none of them more', () => {
    fc.assert(
      fc.property(weights, factor, (before, times) => {
        const after = scaledWeights(before, times);
        expect(noisyOr(after)).toBeCloseTo(times * noisyOr(before), 6);
        expect(after.every((weight, at) => weight <= (before[at] ?? 0) + 1e-12)).toBe(true);
      }),
    );
  });

  it('stay as they are where nothing is taken away, and count by the factor where one is certain', () => {
    expect(scaledWeights([0.3, 0.9], 1)).toEqual([0.3, 0.9]);
    expect(scaledWeights([1, 0.5], 0.5)).toEqual([0.5, 0.25]);
    expect(scaledWeights([0, 0], 0.5)).toEqual([0, 0]);
  });
});

describe('the weight of a technique', () => {
  it('is that of its passages, or their confidence where they have none', () => {
    expect(
      findingWeight({ confidence: 0.9, spans: [{ weight: 0.5, confidence: 0.1 }, { weight: 0.5 }] }),
    ).toBe(0.75);
    expect(findingWeight({ confidence: 0.9, spans: [{ confidence: 0.6 }] })).toBe(0.6);
    expect(findingWeight({ confidence: 0.9, spans: [{}] })).toBe(0.9);
  });

  it('has passages that count, and others', () => {
    const spans = [{ weight: 0, confidence: 0.4 }, { weight: 0.6, confidence: 0.3 }, { confidence: 0.2 }];
    expect(countedPassages({ confidence: 0.5, spans })).toEqual(spans.slice(1));
  });

  it('orders techniques, and those of none by their confidence', () => {
    const item = (code: string, weight: number, confidence: number) => ({
      code,
      severity: 2,
      confidence,
      spans: [{ weight, confidence }],
    });
    const items = [item('d', 0, 0.9), item('c', 0, 0.95), item('b', 0.5, 0.1), item('a', 0.5, 0.1)];
    expect(items.sort(byWeight).map(({ code }) => code)).toEqual(['a', 'b', 'c', 'd']);
  });
});
