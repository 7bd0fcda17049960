import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editText } from '../../../src/text/plain/edited-text.ts';

const back = (source: string, edits: Parameters<typeof editText>[1]) => {
  const edited = editText(source, edits);
  return {
    ...edited,
    quote: (start: number, end: number) => {
      const found = edited.source(start, end);
      return source.slice(found.start, found.end);
    },
  };
};

describe('an edited text', () => {
  it('leads back to what was there before', () => {
    const { text, quote, source } = back('va<b></b>cc&#105;ne!', [
      { start: 2, end: 9, text: '' },
      { start: 11, end: 17, text: 'i' },
    ]);
    expect(text).toBe('vaccine!');
    expect(quote(0, 7)).toBe('va<b></b>cc&#105;ne');
    expect([quote(0, 2), quote(2, 4), quote(4, 5), quote(5, 8)]).toEqual(['va', 'cc', '&#105;', 'ne!']);
    expect(source(8, 8)).toEqual({ start: 20, end: 20 });
  });

  it('may have become longer, empty, or stayed as it was', () => {
    expect(back('a-b', [{ start: 1, end: 2, text: ' to ' }]).quote(2, 4)).toBe('-');
    const empty = back('xyz', [{ start: 0, end: 3, text: '' }]);
    expect([empty.text, empty.source(0, 0)]).toEqual(['', { start: 3, end: 3 }]);
    expect(back('xyz', []).source(1, 2)).toEqual({ start: 1, end: 2 });
  });

  it('leads every letter that was copied back to itself', () => {
    const cuts = fc.array(fc.tuple(fc.nat(6), fc.nat(3), fc.string({ maxLength: 3 })), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, (all) => {
        const source = Array.from({ length: 120 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join(
          '',
        );
        let at = 0;
        const edits = all.map(([gap, length, text]) => {
          const start = at + gap;
          at = start + length;
          return { start, end: at, text };
        });
        const { text, quote } = back(source, edits);
        for (const [index, letter] of [...text].entries())
          if (letter >= '\u4e00' && text.length === [...text].length)
            expect(quote(index, index + 1)).toBe(letter);
      }),
    );
  });
});
