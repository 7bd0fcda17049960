import { describe, expect, it } from 'vitest';
import {
  NUMBER_AND_ORDER_FEATURES,
  numberFeatures,
  orderFeatures,
} from '../../../../../src/services/analysis/engines/stance/numbers-and-order.ts';
import { quantitiesOf } from '../../../../../src/text/statement/quantities.ts';
import { weighed, words } from './tables.ts';

const quantities = (text: string) => quantitiesOf(text.toLowerCase(), 'en');
function numbersOf(claim: string, evidence: string) {
  const list = numberFeatures(quantities(claim), quantities(evidence), words(claim));
  const [year = 0, amount = 0, decade = 0, ordinal = 0, holds = 0, fails = 0] = list;
  return { year, amount, decade, ordinal, holds, fails };
}
const NONE = { year: 0, amount: 0, decade: 0, ordinal: 0, holds: 0, fails: 0 };

describe('the numbers of a claim beside those of evidence', () => {
  it('say nothing where they are found or nothing of their kind is there', () => {
    expect(numbersOf('It opened in 1992.', 'It was opened in 1992.')).toEqual(NONE);
    expect(numbersOf('It opened in 1992.', 'It was opened.')).toEqual(NONE);
  });

  it('are nearer by a year than by fifty', () => {
    const [near, far] = [
      numbersOf('It opened in 1992.', 'It opened in 1993.'),
      numbersOf('It opened in 1992.', 'It opened in 1942.'),
    ];
    expect(near.year).toBeGreaterThan(far.year);
    expect(far.year).toBeGreaterThan(0);
  });

  it.each([
    ['He was born in the 1970s.', 'He was born in 1972.', 1],
    ['He was born in the 1970s.', 'He was born in 1962.', -1],
  ])('are a decade that has a year or none: "%s" beside "%s"', (claim, evidence, decade) => {
    expect(numbersOf(claim, evidence).decade).toBe(decade);
  });

  it('are another place in an order', () => {
    expect(numbersOf('It is the sixth album.', 'It is the fourth album.').ordinal).toBe(1);
  });

  it.each([
    ['More than 400 people came.', 'A crowd of 900 people came.', { holds: 1, fails: 0 }],
    ['More than 400 people came.', 'A crowd of 90 people came.', { holds: 0, fails: 1 }],
    ['Less than 50 percent live there.', 'About 56 percent live there.', { holds: 0, fails: 1 }],
    ['Fewer than 50 people came.', 'A crowd of 20 people came.', { holds: 1, fails: 0 }],
  ])('hold or fail: "%s" beside "%s"', (claim, evidence, expected) => {
    expect(numbersOf(claim, evidence)).toMatchObject(expected);
  });
});

describe('the order of what both sides have', () => {
  const turns = (claim: string, evidence: string) => orderFeatures(weighed(claim), words(evidence))[0];

  it('turns where roles are exchanged', () => {
    expect(turns('Hungary attacked Slovakia.', 'Hungary attacked Slovakia.')).toBe(0);
    expect(turns('Hungary attacked Slovakia.', 'Slovakia attacked Hungary.')).toBeGreaterThan(0);
  });

  it('is told with the features of numbers', () => {
    const order = orderFeatures(weighed('Nothing.'), []);
    expect(order.every(Number.isFinite)).toBe(true);
    expect(order.length + numberFeatures([], [], []).length).toBe(NUMBER_AND_ORDER_FEATURES);
  });
});
