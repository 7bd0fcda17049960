import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/foundation/files.ts';
import { readModelFile } from '../../../src/text/encoder/model-file.ts';
import { createTokenizer, vocabularySchema } from '../../../src/text/encoder/tokenizer.ts';
import { runs } from '../../campaign.ts';
import { codePoint } from '../../code-points.ts';
import original from './fixtures/original.json' with { type: 'json' };

const { header } = readModelFile(readFileSync(packageFile('models', 'encoder-en.bin')), vocabularySchema);
const { reserved } = header;
const tokenizer = createTokenizer(header);
const idsOf = (text: string, limit = 1000) => tokenizer.tokenize(text, limit).pieces.map(({ id }) => id);

describe('tokenizer', () => {
  it.each([
    ['Hello World', [341, 4125, 1369]],
    ['hello world', [2002, 102, 311]],
    ['The vaccine is safe.', [34, 6325, 131, 356, 18, 1297, 6]],
  ])('%s', (text, ids) => expect(idsOf(text)).toEqual(ids));

  it.each(original.sentences.map(({ text, pieces }) => [text, pieces] as const))(
    'cuts as the original does: %s',
    (text, ids) => expect(idsOf(text)).toEqual(ids),
  );

  it('takes any white space for a space', () => {
    expect(idsOf('hello\n\u00a0world\t')).toEqual(idsOf('hello world'));
    expect(idsOf(' \n\t')).toEqual([]);
    expect(idsOf('')).toEqual([]);
  });

  it('makes one piece of characters that it does not know, and goes on behind them', () => {
    const { pieces } = tokenizer.tokenize('a ☃☃🎉 world', 128);
    expect(pieces.map(({ id }) => id)).toEqual([11, 30, 0, 311]);
    expect(pieces.map(({ start, end }) => [start, end])).toEqual([
      [0, 1],
      [2, 2],
      [2, 5],
      [6, 11],
    ]);
  });

  it('places pieces in the text as it was before it was normalised', () => {
    // The ligature is one character, the accented letter two; pieces end between whole characters.
    const { pieces } = tokenizer.tokenize('ﬁne cafe\u0301 ok', 128);
    expect(pieces.map(({ start, end }) => [start, end]).at(0)).toEqual([0, 3]);
    expect(pieces.at(-1)).toMatchObject({ start: 10, end: 12 });
    expect(Math.max(...pieces.map(({ end }) => end))).toBe(12);
  });

  it('tells when a text has more pieces than are read', () => {
    expect(tokenizer.tokenize('hello world', 3).truncated).toBe(false);
    const cut = tokenizer.tokenize('hello world', 2);
    expect(cut.truncated).toBe(true);
    expect(cut.pieces.map(({ id }) => id)).toEqual([2002, 102]);
  });

  it('reads a word without end no further than it must', () => {
    const { pieces, truncated } = tokenizer.tokenize('x'.repeat(2_000_000), 128);
    expect([pieces.length, truncated]).toEqual([128, true]);
  });

  it('cuts any text into pieces in order, inside the text, the same at each try', () => {
    const parts = fc.constantFrom(
      'vaccine',
      'é',
      'e\u0301',
      '👩‍👩‍👧',
      ' ',
      '\n',
      'ș',
      'ﬁ',
      ':',
      '://',
      '☃',
      '한',
      'I',
      '\ud800',
      '5”',
    );
    const texts = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.array(parts).map((some) => some.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const { pieces } = tokenizer.tokenize(text, 1000);
        const length = [...text].length;
        let passed = 0;
        for (const { id, start, end } of pieces) {
          expect(id === 0 || id >= reserved).toBe(true);
          expect(start).toBeLessThanOrEqual(end);
          expect(end).toBeGreaterThanOrEqual(passed);
          expect(end).toBeLessThanOrEqual(length);
          passed = end;
        }
        expect(pieces.length > 0).toBe(/\S/u.test(text.normalize('NFKC')));
        expect(tokenizer.tokenize(text, 1000).pieces).toEqual(pieces);
      }),
      { numRuns: runs(300) },
    );
  });
});
