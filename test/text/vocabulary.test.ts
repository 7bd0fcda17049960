import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../src/foundation/files.ts';
import { loadVocabulary, saveVocabulary } from '../../src/text/vocabulary.ts';

describe('a vocabulary', () => {
  it('knows its words, and how rare they are', () => {
    const bytes = saveVocabulary(
      new Map([...Array(500).keys()].map((index) => [`word${index}`, 1 / (index + 2)])),
    );
    const vocabulary = loadVocabulary(bytes);
    expect(vocabulary.words).toBe(500);
    expect(vocabulary.surprise('word0')).toBeCloseTo(Math.log(2), 0);
    expect(vocabulary.surprise('word499')).toBeCloseTo(Math.log(501), 0);
    expect(vocabulary.surprise('word500')).toBeUndefined();
    expect(vocabulary.surprise('')).toBeUndefined();
  });

  it('of the product knows both languages without diacritics, and no noise', () => {
    const { surprise, words } = loadVocabulary(readFileSync(packageFile('models', 'vocabulary.bin')));
    expect(words).toBeGreaterThan(40_000);
    for (const word of ['the', 'hiding', 'vaccine', 'truth', 'adevarul', 'vaccin', 'guvernul'])
      expect(surprise(word), word).toBeDefined();
    expect(surprise('the')).toBeLessThan(surprise('vaccine') ?? 0);
    for (const noise of ['adevărul', 'xqzt', 'hidng', 'stiriro', 'u', 's'])
      expect(surprise(noise), noise).toBeUndefined();
  });

  it.each([
    [new Uint8Array(0)],
    [new Uint8Array(64)],
    [saveVocabulary(new Map([['a', 0.5]])).subarray(0, 10)],
  ])('is not read from other bytes (%#)', (bytes) => {
    expect(() => loadVocabulary(bytes)).toThrow('not a vocabulary file');
  });
});
