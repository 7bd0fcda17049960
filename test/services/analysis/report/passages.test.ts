import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FindingPassage,
  PASSAGE_KINDS,
  textSegments,
} from '../../../../src/services/analysis/report/passages.ts';

const passage = (
  text: string,
  kind: FindingPassage['kind'],
  number: string,
  ...places: [number, number][]
) => ({
  kind,
  number,
  name: number,
  spans: places.map(([start, end]) => ({
    start_utf16: start,
    end_utf16: end,
    quote: text.slice(start, end),
  })),
});

describe('segments of a text', () => {
  it('begin and end where findings do, and name those that end', () => {
    const text = 'abcdefgh';
    const segments = textSegments(text, [
      passage(text, 'claim', 'C1', [0, 6]),
      passage(text, 'technique', 'T1', [2, 4]),
      passage(text, 'technique', 'T2', [3, 6]),
    ]);
    expect(
      segments.map(({ text, kinds, ending }) => [text, kinds, ending.map(({ number }) => number)]),
    ).toEqual([
      ['ab', ['claim'], []],
      ['c', ['technique', 'claim'], []],
      ['d', ['technique', 'claim'], ['T1']],
      ['ef', ['technique', 'claim'], ['C1', 'T2']],
      ['gh', [], []],
    ]);
  });

  it('leave out a passage whose words do not stand there', () => {
    const wrong = {
      ...passage('abcd', 'claim', 'C1', [0, 2]),
      spans: [{ start_utf16: 0, end_utf16: 2, quote: 'xy' }],
    };
    expect(textSegments('abcd', [wrong])).toEqual([{ text: 'abcd', kinds: [], ending: [] }]);
  });

  it('of an empty text are none', () => expect(textSegments('', [])).toEqual([]));

  it('give the text again, and name each place once', () => {
    const place = fc
      .tuple(fc.nat(40), fc.nat(40))
      .map(([one, two]) => [Math.min(one, two), Math.max(one, two)]);
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 40 }),
        fc.array(fc.tuple(fc.constantFrom(...PASSAGE_KINDS), place), { maxLength: 8 }),
        (text, places) => {
          const inside = places.filter(([, [start = 0, end = 0]]) => start < end && end <= text.length);
          const passages = inside.map(([kind, [start = 0, end = 0]], index) =>
            passage(text, kind, `N${index}`, [start, end]),
          );
          const segments = textSegments(text, passages);
          expect(segments.map((segment) => segment.text).join('')).toBe(text);
          const named = segments.flatMap(({ ending }) => ending.map(({ number }) => number));
          expect(named.sort()).toEqual(passages.map(({ number }) => number).sort());
          let at = 0;
          for (const segment of segments) {
            const covering = inside.filter(([, [start = 0, end = 0]]) => start <= at && at < end);
            const kinds = PASSAGE_KINDS.filter((kind) => covering.some(([own]) => own === kind));
            expect(segment.kinds).toEqual(kinds);
            at += segment.text.length;
          }
        },
      ),
    );
  });
});
