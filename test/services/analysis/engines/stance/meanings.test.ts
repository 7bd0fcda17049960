import { describe, expect, it } from 'vitest';
import {
  MEANING_FEATURES,
  meaningFeatures,
} from '../../../../../src/services/analysis/engines/stance/meanings.ts';
import { tables, weighed, words } from './tables.ts';

const features = (claim: string, ...evidence: string[]) =>
  meaningFeatures(weighed(claim), evidence.map(words), tables);
/** Shares of the claim's surprise by how its words stand to the whole passage come first. */
const sharesOf = (list: readonly number[]) => {
  const [same = 0, general = 0, opposite = 0, number = 0, sister = 0, special = 0, name = 0, other = 0] =
    list;
  return { same, general, opposite, number, sister, special, name, other };
};

describe('what the words of a claim mean beside those of evidence', () => {
  it('is all found in its own sentence', () => {
    const text = 'The river Olt flows through 3 counties.';
    const list = features(text, text);
    expect(list).toHaveLength(MEANING_FEATURES);
    expect(sharesOf(list).same).toBe(1);
  });

  it.each([
    ['She saw a doctor.', 'She saw a surgeon.', 'general'],
    ['She is a novelist.', 'She is a writer.', 'special'],
    ['She lives in America.', 'She lives in California.', 'general'],
    ['She is a painter.', 'She is a sculptor.', 'sister'],
    ['Prices rise.', 'Prices fall.', 'opposite'],
    ['It opened in 1994.', 'It opened in 1992.', 'number'],
    ['It was directed by Zanescu.', 'It was directed by somebody.', 'name'],
  ] as const)('is told of "%s" beside "%s": %s', (claim, evidence, kind) => {
    const shares = sharesOf(features(claim, evidence));
    expect(shares[kind]).toBeGreaterThan(0);
    expect(shares.same).toBeGreaterThan(0);
    expect(shares.same + shares[kind]).toBeCloseTo(1, 9);
  });

  it('weighs a rare word more than a common one', () => {
    const rare = sharesOf(features('The pangolin was good.', 'The animal was good.'));
    const common = sharesOf(features('The year was good.', 'The animal was good.'));
    expect(rare.same).toBeLessThan(common.same);
  });

  it('says nothing where there are no words', () => {
    for (const list of [features('', ''), features('A claim.'), features('', 'A sentence.')]) {
      expect(list).toHaveLength(MEANING_FEATURES);
      expect(list.every(Number.isFinite)).toBe(true);
    }
  });
});
