import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logOddsOf } from '../../../../../src/services/analysis/engines/techniques/crf.ts';
import {
  type ListCandidate,
  type ListWeights,
  listedPassages,
  meanOfOtherSentences,
  techniqueChance,
} from '../../../../../src/services/analysis/engines/techniques/listing.ts';

const head = (bias: number, ...weights: number[]) => ({ bias, weights, codes: {} });
const reader = {
  least_chance: 0.12,
  least_presence: 0.5,
  counted: head(-1, 0.5),
  added: head(0, 1),
  technique: head(0, 1),
};
const weights: ListWeights = {
  name: 'test',
  version: '1',
  readers: { pieces: reader, words: reader, rules: reader },
};

const passage = (code: string, weight: number, chance: number, share = 1) =>
  ({
    code,
    weight,
    share,
    inputs: [logOddsOf(weight > 0 ? weight : chance)],
  }) satisfies Partial<ListCandidate>;
const listed = (...passages: ReturnType<typeof passage>[]) => listedPassages(passages, 'words', weights);

describe('the list of passages', () => {
  it('holds all that counts, however small its chance', () => {
    const [one] = listed(passage('doubt', 0.6, 0));
    expect(one?.confidence).toBeCloseTo(1 / (1 + Math.exp(1 - 0.5 * Math.log(1.5))), 10);
  });

  it('holds passages of the trained stages where together they make their technique likely', () => {
    const likely = passage('slogans', 0, 0.3);
    expect(listed(likely)).toEqual([]);
    expect(listed(likely, likely)).toHaveLength(2);
    expect(listed(likely, likely, passage('slogans', 0, 0.1))).toHaveLength(2);
    // In a calm subject they are worth less.
    expect(listed(passage('slogans', 0, 0.3, 0.6), passage('slogans', 0, 0.3, 0.6))).toEqual([]);
  });

  it('holds them beside one that counts', () => {
    expect(listed(passage('doubt', 0.6, 0), passage('doubt', 0, 0.15))).toHaveLength(2);
  });
});

describe('the chance of a technique', () => {
  it('is at least that of its likeliest passage', () => {
    const sure = { code: 'doubt', wordCount: 100, confidences: [0.2, 0.4] };
    expect(techniqueChance(sure, 'words', weights)).toBeCloseTo(0.52, 4);
    const none = {
      ...weights,
      readers: { ...weights.readers, words: { ...reader, technique: head(-9, 0) } },
    };
    expect(techniqueChance(sure, 'words', none)).toBe(0.4);
  });
});

describe('the other sentences of a text', () => {
  it('are their mean without the calmest quarter and the loudest', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0.01, max: 0.99, noNaN: true }), fc.integer({ min: 1, max: 9 })), {
          maxLength: 30,
        }),
        (rows) => {
          const chances = Float64Array.from(rows, ([chance]) => chance);
          const ranges = rows.map(([, length], at) => ({ from: 10 * at, to: 10 * at + length }));
          const around = meanOfOtherSentences(chances, ranges);
          rows.forEach((_, own) => {
            const others = rows
              .filter(([, length], at) => at !== own && length >= 4)
              .map(([chance]) => logOddsOf(chance))
              .toSorted((one, two) => one - two);
            const kept = others.slice(Math.floor(0.25 * others.length), -1);
            const mean = kept.reduce((sum, value) => sum + value, 4 * -1.2) / (kept.length + 4);
            expect(around(own)).toBeCloseTo(mean, 8);
          });
        },
      ),
    );
  });
});
