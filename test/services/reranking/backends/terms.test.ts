import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../src/foundation/files.ts';
import {
  lightEnglishStem,
  rerankTermsOf,
} from '../../../../src/services/reranking/backends/packaged/terms.ts';
import { readGloss } from '../../../../src/text/encoder/gloss.ts';

const gloss = readGloss(readFileSync(packageFile('models', 'gloss-ro.tsv'), 'utf8'));

describe('stems of English words', () => {
  it.each([
    ['vaccines', 'vaccine'],
    ['parties', 'party'],
    ['stopped', 'stops'],
    ['running', 'run'],
    ['churches', 'church'],
    ['raised', 'raising'],
  ])('are the same for %s and %s', (one, two) => expect(lightEnglishStem(one)).toBe(lightEnglishStem(two)));

  it.each([['bus'], ['virus'], ['crisis'], ['red'], ['king'], ['ross']])('leave %s as it is', (word) =>
    expect(word.startsWith(lightEnglishStem(word))).toBe(true),
  );
});

const shares = (one: string, from: 'en' | 'ro', two: string, to: 'en' | 'ro') => {
  const keys = new Set(rerankTermsOf(gloss, two, to).flatMap((term) => term.keys));
  return rerankTermsOf(gloss, one, from).some((term) => term.keys.some((key) => keys.has(key)));
};

describe('words', () => {
  it.each([
    ['vaccinul', 'ro', 'vaccines', 'en', true],
    ['prețul', 'ro', 'preţul', 'ro', true],
    ['pretul', 'ro', 'prețurile', 'ro', true],
    ['Iohannis', 'ro', 'Iohannis', 'en', true],
    ['2,5', 'ro', '2,5', 'en', true],
    ['vaccinul', 'ro', 'museum', 'en', false],
    ['care', 'ro', 'health care', 'en', false],
  ] as const)('%s (%s) and %s (%s): %s', (one, from, two, to, same) =>
    expect(shares(one, from, two, to)).toBe(same),
  );

  it('are folded, and those that only bind others are left out', () => {
    expect(rerankTermsOf(gloss, 'pe Ștefan', 'ro').map(({ folded }) => folded)).toEqual(['stefan']);
    expect(rerankTermsOf(gloss, '', 'en')).toEqual([]);
  });
});
