import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countWords, wordsOf } from '../../src/text/words.ts';
import { codePoint } from '../code-points.ts';

const cases: [string, string[]][] = [
  ["Don't panic, it’s 12,5% (1.200 lei).", ["Don't", 'panic', 'it’s', '12,5', '1.200', 'lei']],
  ['Într-un sat s-a întâmplat.', ['Într', 'un', 'sat', 's', 'a', 'întâmplat']],
  ['s\u0326tire 😀 COVID-19', ['s\u0326tire', 'COVID', '19']],
  ["'quoted' words'", ['quoted', 'words']],
  ['', []],
];

describe('wordsOf', () => {
  it.each(cases)('parts %j', (text, words) => {
    expect(wordsOf(text).map((word) => word.text)).toEqual(words);
  });

  it('keeps verbatim text in order, and countWords agrees', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        const words = wordsOf(text);
        let end = 0;
        for (const word of words) {
          expect(word.start).toBeGreaterThanOrEqual(end);
          expect(word.text).toBe(text.slice(word.start, word.end));
          end = word.end;
        }
        expect(countWords(text)).toBe(words.length);
      }),
    );
  });
});
