import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../../src/text/folding.ts';
import { numberOf, quantitiesOf } from '../../../src/text/statement/quantities.ts';

const read = (text: string, language: 'en' | 'ro') =>
  quantitiesOf(fold(text, 'strip').text, language).map(({ kind, value }) => `${kind} ${value}`);

describe('numbers of a text', () => {
  it.each<[string, string[]]>([
    ['It cost 5,000,000 dollars.', ['amount 5000000']],
    ['It cost 5 million dollars.', ['amount 5000000']],
    ['It cost five million dollars.', ['amount 5000000']],
    ['two hundred and five thousand people', ['amount 205000']],
    ['a million people', ['amount 1000000']],
    ['one in a crowd', []],
    ['Prices rose 4.5%, then 3 percent, then 2 per cent.', ['percent 4.5', 'percent 3', 'percent 2']],
    ['In 2019 he won.', ['year 2019']],
    ['2019 million', ['amount 2019000000']],
    ['on 14 March 2024', ['date 03-14', 'year 2024']],
    ['on March 14, 2024', ['date 03-14', 'year 2024']],
    ['You may leave.', []],
    ['the third case and the first', ['ordinal 3', 'ordinal 1']],
    ['half of them', ['amount 0.5']],
    ['COVID-19 and 5G', ['amount 19', 'amount 5']],
    ['12 000 people', ['amount 12000']],
    ["in the 2010s and the 1970's", ['decade 2010', 'decade 1970']],
  ])('English: %s', (text, expected) => {
    expect(read(text, 'en')).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ['A costat 5.000.000 de lei.', ['amount 5000000']],
    ['A costat 5 milioane de lei.', ['amount 5000000']],
    ['A costat cinci milioane de lei.', ['amount 5000000']],
    ['douăzeci și cinci de mii', ['amount 25000']],
    ['un milion de oameni', ['amount 1000000']],
    ['un om și o femeie', []],
    ['A crescut cu 4,5% și cu 3 la sută.', ['percent 4.5', 'percent 3']],
    ['pe 14 martie 2024', ['date 03-14', 'year 2024']],
    ['mai mult de 7', ['amount 7']],
    ['primul și al doilea', ['ordinal 1', 'ordinal 2']],
    ['2,5 miliarde', ['amount 2500000000']],
  ])('Romanian: %s', (text, expected) => {
    expect(read(text, 'ro')).toEqual(expected);
  });

  it.each<[string, 'en' | 'ro', number]>([
    ['1.234,5', 'ro', 1234.5],
    ['1,234.5', 'en', 1234.5],
    ['1.234', 'ro', 1234],
    ['1.234', 'en', 1.234],
    ['12,5', 'en', 12.5],
    ['12 000', 'ro', 12000],
  ])('%s in %s', (digits, language, value) => {
    expect(numberOf(digits, language)).toBe(value);
  });

  it('stands where it says, in any text', () => {
    const words = fc.constantFrom(
      'two',
      'doua',
      'million',
      'milioane',
      '5',
      '1.234',
      '%',
      'march',
      'și',
      'ș',
      '😀',
      ' ',
    );
    const text = fc.array(fc.oneof(words, fc.string()), { maxLength: 12 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(text, fc.constantFrom('en' as const, 'ro' as const), (sample, language) => {
        const { text: plain } = fold(sample, 'strip');
        let last = 0;
        for (const { start, end, value } of quantitiesOf(plain, language)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(plain.length);
          expect(value).not.toBe('NaN');
          last = end;
        }
      }),
    );
  });
});
