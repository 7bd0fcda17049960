import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StopSequences } from '../../../../../src/services/llm/backends/embedded/stop-sequences.ts';

/** What comes out when a text comes in these pieces. */
function cut(words: readonly string[], pieces: readonly string[]): { text: string; hit: boolean } {
  const stop = new StopSequences(words);
  const text = pieces.map((piece) => stop.push(piece)).join('') + stop.flush();
  return { text, hit: stop.hit };
}

describe('stop words', () => {
  it.each<[string, string[], string[], string, boolean]>([
    ['nothing to stop at', [], ['a', 'b'], 'ab', false],
    ['a word in one piece', ['two'], ['one two three'], 'one ', true],
    ['a word over pieces', ['two'], ['one t', 'w', 'o three'], 'one ', true],
    ['only the beginning of a word', ['two'], ['one t', 'w'], 'one tw', false],
    ['a beginning that turned out otherwise', ['two'], ['one t', 'ea'], 'one tea', false],
    ['the first of several', ['three', 'two'], ['one two three'], 'one ', true],
    ['a word that repeats its beginning', ['aab'], ['aa', 'ab', 'c'], 'a', true],
    ['an empty word', [''], ['a'], 'a', false],
    ['what comes after', ['b'], ['ab', 'c', 'd'], 'a', true],
  ])('%s', (_name, words, pieces, text, hit) => {
    expect(cut(words, pieces)).toEqual({ text, hit });
  });

  it('cut alike, however the text is broken into pieces', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'ș') });
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'ș'), minLength: 1, maxLength: 4 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(words, fc.array(letters, { maxLength: 12 }), (stops, pieces) => {
        const whole = pieces.join('');
        const places = stops.map((word) => whole.indexOf(word)).filter((place) => place >= 0);
        const { text, hit } = cut(stops, pieces);
        expect(hit).toBe(places.length > 0);
        if (!hit) expect(text).toBe(whole);
        else expect(whole.startsWith(text)).toBe(true);
        // A longer word that begins earlier may end later than a shorter one: the first to be complete wins.
        for (const word of stops) expect(text.includes(word)).toBe(false);
      }),
    );
  });
});
