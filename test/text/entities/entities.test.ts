import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/foundation/files.ts';
import { readGloss } from '../../../src/text/encoder/gloss.ts';
import { loadEntityModel } from '../../../src/text/entities/entities.ts';
import { entityTokens } from '../../../src/text/entities/tokens.ts';
import { loadVocabulary } from '../../../src/text/vocabulary.ts';

const file = (name: string) => readFileSync(packageFile('models', name));
const vocabulary = loadVocabulary(file('vocabulary.bin'));
const gloss = readGloss(file('gloss-ro.tsv').toString('utf8'));
const models = {
  en: loadEntityModel(file('entities-en.bin'), { vocabulary }),
  ro: loadEntityModel(file('entities-ro.bin'), { vocabulary, gloss }),
};

describe('tokens for names', () => {
  it.each([
    ['en', "Dr. J. Smith doesn't live in the U.S. now.", "Dr . J. Smith does n't live in the U.S. now ."],
    [
      'en',
      "Apple's AT&T deal, see https://a.example/b?c=1",
      "Apple 's AT&T deal , see https://a.example/b?c=1",
    ],
    ['en', '@ana met #Brexit fans at 12:30', '@ana met #Brexit fans at 12:30'],
    [
      'ro',
      'Într-un oraș și-a luat casă, ducă-se, zice Jean-Paul.',
      'Într- un oraș și- a luat casă , ducă -se , zice Jean-Paul .',
    ],
    ['ro', '', ''],
  ])('%s: %s', (language, text, cut) => {
    const tokens = entityTokens(text, language);
    expect(tokens.map((token) => token.text).join(' ')).toBe(cut);
    for (const { start, end, text: own } of tokens) expect(text.slice(start, end)).toBe(own);
  });
});

describe('names in a text', () => {
  it.each([
    [
      'en',
      'On Monday Angela Merkel met Emmanuel Macron in Paris. The meeting was paid by Microsoft.',
      ['person Angela Merkel', 'person Emmanuel Macron', 'place Paris', 'organisation Microsoft'],
    ],
    [
      'ro',
      'Klaus Iohannis a vorbit la București despre Uniunea Europeană, iar Banca Națională a României a tăcut.',
      ['person Klaus Iohannis', 'place București', 'organisation Uniunea Europeană'],
    ],
  ] as const)('%s: are found with their kinds and places', (language, text, names) => {
    const found = models[language].find(text);
    for (const { start, end, text: quote, confidence } of found) {
      expect(text.slice(start, end)).toBe(quote);
      expect(confidence).toBeGreaterThan(0);
      expect(confidence).toBeLessThanOrEqual(1);
    }
    expect(found.map(({ kind, text: quote }) => `${kind} ${quote}`)).toEqual(
      expect.arrayContaining([...names]),
    );
  });

  it('are none where there are none', () => {
    expect(models.en.find('')).toEqual([]);
    expect(models.en.find('the soup was cold and nobody liked it.')).toEqual([]);
  });

  it('in one long line without an end are found in linear time', () => {
    const found = models.en.find('Angela Merkel spoke in Berlin and '.repeat(200));
    expect(found.length).toBeGreaterThan(300);
  });

  it('are refused from a damaged file', () => {
    expect(() => loadEntityModel(file('vocabulary.bin'), { vocabulary })).toThrow();
    expect(() => loadEntityModel(file('entities-en.bin').subarray(0, 5000), { vocabulary })).toThrow(
      /damaged|early/,
    );
  });

  it('of Romanian are refused without the gloss, by which words have classes', () => {
    expect(() => loadEntityModel(file('entities-ro.bin'), { vocabulary })).toThrow(/gloss/);
  });
});
