import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadNameVocabulary } from '../../../../src/services/domain-check/name/model.ts';
import { wordsOfLabel } from '../../../../src/services/domain-check/name/words.ts';

const vocabulary = loadNameVocabulary();

describe('the words of a label', () => {
  it.each([
    ['milefreepress', ['mile', 'free', 'press']],
    ['naturalcuresdaily', ['natural', 'cures', 'daily']],
    ['the-patriot-post', ['the', 'patriot', 'post']],
    ['abc7news', ['abc', 'news']],
    ['xn--', ['xn']],
    ['', []],
  ])('%s', (label, words) => {
    expect(wordsOfLabel(vocabulary, label)).toEqual(words);
  });

  it('are its letters, whatever they are', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123-'), maxLength: 63 });
    fc.assert(
      fc.property(letters, (label) => {
        expect(wordsOfLabel(vocabulary, label).join('')).toBe(label.replace(/[^a-z]/g, ''));
      }),
    );
  });
});
