import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findingsFactor,
  partsOfText,
  type SentenceSigns,
  wholeTextLogOdds,
  wholeTextWeight,
  withPart,
} from '../../../../../src/services/analysis/engines/techniques/whole-text.ts';

const loud: SentenceSigns = { slant: 2, pressing: 2, telling: 4, narrative: 0.9, words: 4 };
const calm: SentenceSigns = { slant: -6, pressing: -6, telling: -6, narrative: 0, words: -4 };
const signs = fc.record({
  slant: fc.double({ min: -12, max: 12, noNaN: true }),
  pressing: fc.double({ min: -12, max: 12, noNaN: true }),
  telling: fc.double({ min: -20, max: 20, noNaN: true }),
  narrative: fc.double({ min: 0, max: 1, noNaN: true }),
  words: fc.double({ min: -20, max: 20, noNaN: true }),
});
const language = fc.constantFrom('en' as const, 'ro' as const);

describe('a text as a whole', () => {
  it.each(['en', 'ro'] as const)(
    'weighs when its sentences press, and not when they are calm: %s',
    (code) => {
      expect(wholeTextWeight(wholeTextLogOdds(new Array(8).fill(loud), code), 8)).toBeGreaterThan(0.3);
      expect(wholeTextWeight(wholeTextLogOdds(new Array(8).fill(calm), code), 8)).toBe(0);
    },
  );

  it.each(['en', 'ro'] as const)('is not loud by one sentence, nor calm by one: %s', (code) => {
    const rest = new Array<SentenceSigns>(9).fill(calm);
    expect(wholeTextLogOdds([...rest, loud], code)).toBeCloseTo(wholeTextLogOdds([...rest, calm], code), 6);
    expect(wholeTextWeight(wholeTextLogOdds([calm, calm, loud], code), 3)).toBe(0);
    const pressing = new Array<SentenceSigns>(9).fill(loud);
    const [before, after] = [pressing, [...pressing, calm]].map((text) =>
      wholeTextWeight(wholeTextLogOdds(text, code), text.length),
    );
    expect((before ?? 0) - (after ?? 0)).toBeLessThan(0.1);
  });

  it.each(['en', 'ro'] as const)(
    'is louder the more its mean vector or the layer for whole texts says so: %s',
    (code) => {
      const text = new Array<SentenceSigns>(6).fill(calm);
      for (const part of ['kernel', 'layer']) {
        const [low = 0, none = 0, high = 0] = [-2, 0, 2].map((value) =>
          wholeTextLogOdds(text, code, part === 'kernel' ? { kernel: value } : { layer: [value] }),
        );
        expect([low < none, none < high]).toEqual([true, true]);
      }
    },
  );

  it.each(['en', 'ro'] as const)(
    'is louder near kept sentences of loud texts, and no calmer near those of calm ones: %s',
    (code) => {
      const text = new Array<SentenceSigns>(3).fill(calm);
      const near = (neighbours: readonly number[]) => wholeTextLogOdds(text, code, { neighbours });
      expect(near([1, 0, 0])).toBeGreaterThan(near([0, 0, 0]));
      expect(near([3, 1, 0])).toBeGreaterThan(near([1, 1, 0]));
      expect(near([-3, 0, 0])).toBe(near([0, 0, 0]));
      expect(near([])).toBe(near([0, 0, 0]));
      expect(near([90, 0, 0])).toBe(near([9, 0, 0]));
    },
  );

  it('does not depend on the order, grows with each sign, and never weighs more than it may', () => {
    fc.assert(
      fc.property(fc.array(signs, { minLength: 1, maxLength: 30 }), language, (text, code) => {
        const own = wholeTextLogOdds(text, code);
        expect(wholeTextLogOdds(text.toReversed(), code)).toBeCloseTo(own, 6);
        const more = text.map((one) => ({
          ...one,
          pressing: one.pressing + 1,
          words: one.words + 1,
          narrative: Math.min(1, one.narrative + 0.1),
        }));
        expect(wholeTextLogOdds(more, code)).toBeGreaterThanOrEqual(own - 1e-9);
        expect(wholeTextWeight(own, text.length)).toBeGreaterThanOrEqual(0);
        expect(wholeTextWeight(own, text.length)).toBeLessThanOrEqual(1.2);
      }),
    );
  });
});

describe('the parts of a text', () => {
  it.each([
    [11, 8, []],
    [12, 8, [0, 4]],
    [13, 8, [0, 4, 5]],
    [20, 8, [0, 4, 8, 12]],
    [60, 20, [0, 10, 20, 30, 40]],
  ])('of %i sentences have %i and begin at %j', (count, size, starts) => {
    expect(partsOfText(count)).toEqual(starts.map((from) => ({ from, to: from + size })));
  });

  it('hold every sentence of a text that is long enough', () => {
    fc.assert(
      fc.property(fc.integer({ min: 12, max: 300 }), (count) => {
        const held = new Set(
          partsOfText(count).flatMap(({ from, to }) =>
            Array.from({ length: to - from }, (_, at) => from + at),
          ),
        );
        expect([held.size, Math.min(...held), Math.max(...held)]).toEqual([count, 0, count - 1]);
      }),
    );
  });

  it('count less than the whole, and never make a text calmer', () => {
    expect([withPart(1, 2, 12), withPart(1, -4, 12), withPart(-3, 2, 12), withPart(1, undefined, 9)]).toEqual(
      [1, 1, 0.5, 1],
    );
  });
});

it('a text of many sentences and one of few need more as a whole, and a part does not', () => {
  const read = (part?: number) =>
    [1, 4, 5, 8, 14, 21, 28, 300].map((count) => Number(withPart(1, part, count).toFixed(6)));
  expect(read()).toEqual([-0.1, -0.1, 0.45, 1, 1, 0.45, -0.1, -0.1]);
  expect(read(2.3)).toEqual([0.8, 0.8, 0.8, 1, 1, 0.8, 0.8, 0.8]);
});

it('a text without a sentence of its own reads as an ordinary one', () => {
  expect(wholeTextLogOdds([], 'en')).toBeLessThan(0);
  expect(wholeTextLogOdds([], 'ro')).toBeLessThan(1);
});

describe('the findings of a text', () => {
  it('count in full in one that presses, by less than a third in a calm one, and in between by its log-odds', () => {
    const factors = [2, -0.3, -0.8, -1.3, -1.7, -9].map((logOdds) => findingsFactor(logOdds, 10));
    expect(factors.map((factor) => Number(factor.toFixed(6)))).toEqual([1, 1, 0.75, 0.5, 0.3, 0.3]);
  });

  it('count in full where a text is too short to be read as a whole', () => {
    const factors = [0, 1, 2, 3, 4, 30].map((count) => Number(findingsFactor(-9, count).toFixed(3)));
    expect(factors).toEqual([1, 1, 0.65, 0.3, 0.3, 0.3]);
  });
});

describe('a short text', () => {
  it.each(['en', 'ro'] as const)('weighs nothing by one sentence, and in full from three on: %s', (code) => {
    const weights = [1, 2, 3, 4].map((count) => {
      const text = new Array<SentenceSigns>(count).fill(loud);
      return wholeTextWeight(wholeTextLogOdds(text, code), count);
    });
    expect(weights).toEqual([0, 0.6, 1.2, 1.2]);
  });
});
