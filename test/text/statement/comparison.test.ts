import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/foundation/files.ts';
import { readGloss } from '../../../src/text/encoder/gloss.ts';
import { type Comparison, compareStatements } from '../../../src/text/statement/comparison.ts';
import { readRelations } from '../../../src/text/statement/relations.ts';
import { parseStatement } from '../../../src/text/statement/statement.ts';

const file = (name: string) => readFileSync(packageFile('models', name), 'utf8');
const gloss = readGloss(file('gloss-ro.tsv'));
const relations = readRelations(file('relations-en.tsv'));

type Language = 'en' | 'ro';
const compare = (one: string, other: string, languages: readonly [Language, Language] = ['en', 'en']) =>
  compareStatements(
    parseStatement(one, languages[0], gloss),
    parseStatement(other, languages[1], gloss),
    relations,
  );

describe('two statements', () => {
  it.each<[string, string, string, Partial<Comparison>]>([
    [
      'a denial',
      'Garlic cures the flu.',
      "Garlic doesn't cure the flu.",
      { sameNegation: false, covered: [1, 1] },
    ],
    ['a number', 'It cost 5 million.', 'It cost 50 million.', { sameQuantities: false }],
    ['a doer', 'Russia attacked Ukraine.', 'Ukraine attacked Russia.', { sameOrder: false, covered: [1, 1] }],
    [
      'the passive',
      'Vaccines cause autism.',
      'Autism is caused by vaccines.',
      { sameOrder: true, covered: [1, 1] },
    ],
    [
      'who does it',
      'The ministry controlled the media.',
      'The ministry was controlled by the media.',
      { sameOrder: false, covered: [1, 1] },
    ],
    ['an acronym', 'The US attacked Iran.', 'They attacked Iran.', { covered: [2 / 3, 1] }],
    ['what is over', 'He was a member.', 'He is still a member.', { sameCues: false }],
    ['an opposite', 'Crime rose in London.', 'Crime fell in London.', { opposites: 1 }],
    ['an amount', 'All vaccines are dangerous.', 'Some vaccines are dangerous.', { sameCues: false }],
    ['a possibility', 'Coffee causes cancer.', 'Coffee may cause cancer.', { sameCues: false }],
    ['a synonym', 'They built a hospital.', 'They constructed a hospital.', { covered: [1, 1] }],
    [
      'an addition',
      'The president was arrested.',
      "The president's son was arrested.",
      { covered: [1, 2 / 3] },
    ],
  ])('%s', (_, one, other, expected) => {
    expect(compare(one, other)).toMatchObject(expected);
  });

  it.each<[string, string, boolean]>([
    ['Vaccines cause autism in children.', 'Vaccines cause autism.', true],
    ['Vaccines cause autism among the children.', 'Vaccines cause autism.', true],
    ["The president's son was arrested.", 'The president was arrested.', false],
    ['Vaccines cause autism.', 'Vaccines cause autism in children.', false],
    ['Vaccines cause autism.', 'Vaccines cause autism.', false],
  ])('%s narrows %s: %s', (one, other, isNarrower) => {
    expect(compare(one, other).isNarrower).toBe(isNarrower);
  });

  it('of two languages', () => {
    const same = compare('Germany pays 900 euros.', 'Germania plătește 900 de euro.', ['en', 'ro']);
    expect(same).toMatchObject({ covered: [1, 1], sameQuantities: true, sameNegation: true });
    const denied = compare('The earth is flat.', 'Pământul nu este plat.', ['en', 'ro']);
    expect(denied).toMatchObject({ covered: [1, 1], sameNegation: false });
  });

  it('Romanian words that deny together deny once', () => {
    const languages = ['ro', 'ro'] as const;
    expect(compare('Nimeni nu a votat legea.', 'Legea nu a fost votată.', languages).sameNegation).toBe(true);
    expect(compare('Nimeni nu a votat legea.', 'Legea a fost votată.', languages).sameNegation).toBe(false);
  });

  it('without any word have nothing in common', () => {
    expect(compare('', '...').covered).toEqual([0, 0]);
  });

  it('refuses a table that is none', () => {
    expect(() => readRelations('akin\tone\tother')).toThrow(/no line of a table/);
  });
});
