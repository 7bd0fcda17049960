import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import {
  ALIGNMENT_FEATURES,
  alignmentFeatures,
  comparedWords,
} from '../../../../../src/services/analysis/engines/stance/alignment.ts';
import type { EncoderLanguage } from '../../../../../src/text/encoder/encoder.ts';
import { readGloss } from '../../../../../src/text/encoder/gloss.ts';
import { readRelations } from '../../../../../src/text/statement/relations.ts';

const model = (name: string) => readFileSync(packageFile('models', name), 'utf8');
const relations = readRelations(model('relations-en.tsv'));
const gloss = readGloss(model('gloss-ro.tsv'));
const words = (text: string, language: EncoderLanguage = 'en') => comparedWords(text, language, gloss);
const features = (claim: string, ...evidence: string[]) =>
  alignmentFeatures(
    words(claim),
    evidence.map((text) => words(text)),
    relations,
  );

/** Shares of the claim's words by how they stand to the evidence come first. */
const sharesOf = (list: readonly number[]) => {
  const [same = 0, meaning = 0, opposite = 0, number = 0, name = 0, alone = 0] = list;
  return { same, meaning, opposite, number, name, alone };
};

/** Replaced numbers, names and other words come last. */
const replacedIn = (list: readonly number[]) => list.slice(-3);

describe('the words of a claim beside those of evidence', () => {
  it('are all found in their own sentence', () => {
    const text = 'The river Olt flows through 3 counties.';
    const list = features(text, text);
    expect(list).toHaveLength(ALIGNMENT_FEATURES);
    expect(sharesOf(list)).toEqual({ same: 1, meaning: 0, opposite: 0, number: 0, name: 0, alone: 0 });
    expect(replacedIn(list)).toEqual([0, 0, 0]);
  });

  it('show a number in the place of another', () => {
    const list = features('The bridge was opened in 1994.', 'The bridge was opened in 1992.');
    expect(sharesOf(list).number).toBeGreaterThan(0);
    expect(replacedIn(list)).toEqual([1, 0, 0]);
  });

  it('show a name in the place of another', () => {
    const list = features('It was directed by Ana Pop.', 'It was directed by Ion Rusu.');
    expect(sharesOf(list).name).toBeGreaterThan(0);
    expect(replacedIn(list)).toEqual([0, 1, 0]);
  });

  it('show a word in the place of another, and binding words that only one side has', () => {
    expect(replacedIn(features('It is a song.', 'It is a film.'))).toEqual([0, 0, 1]);
    expect(sharesOf(features('It was the only film.', 'It was the film.')).alone).toBeCloseTo(0.2, 5);
  });

  it('know endings, synonyms and opposites', () => {
    expect(sharesOf(features('Prices rise.', 'The prices fall.')).opposite).toBeGreaterThan(0);
    expect(sharesOf(features('He won prizes.', 'He wins a prize.')).meaning).toBeGreaterThan(0.5);
  });

  it('are looked for in every sentence', () => {
    expect(sharesOf(features('The city has a harbour.', 'The city is old.', 'A harbour it has.')).same).toBe(
      1,
    );
  });

  it('stand alone where there is no evidence, and are nothing where there is no claim', () => {
    expect(sharesOf(features('The city is old.')).same).toBe(0);
    for (const value of features('', 'The city is old.')) expect(Number.isFinite(value)).toBe(true);
    for (const value of features('', '')) expect(Number.isFinite(value)).toBe(true);
  });

  it('are told of a Romanian sentence by its English words', () => {
    const list = alignmentFeatures(
      words('Podul este vechi.', 'ro'),
      [words('The bridge is old.')],
      relations,
    );
    expect(sharesOf(list).same + sharesOf(list).meaning).toBeGreaterThan(0.5);
  });

  it('are read up to a limit, however long a sentence is', () => {
    expect(words('word '.repeat(100_000)).length).toBeLessThan(200);
  });
});
