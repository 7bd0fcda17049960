import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, stripDiacritics } from '../../src/text/folding.ts';
import { codePoint } from '../code-points.ts';

const cases: [string, string, string, string][] = [
  ['case and diacritics', 'Știrea ȚĂRII', 'știrea țării', 'stirea tarii'],
  ['cedilla for comma below', 'Ştirea ţării', 'știrea țării', 'stirea tarii'],
  ['combining marks', 's\u0326tire a\u0306', 'știre ă', 'stire a'],
  ['zero-width characters', 'v\u200bac\u00adcin\ufeff', 'vaccin', 'vaccin'],
  ['Cyrillic lookalikes in a Latin word', 'vассine', 'vaccine', 'vaccine'],
  ['Cyrillic words stay', 'Привет мир', 'привет мир', 'привет мир'],
  ['quotes and dashes', '„Da” – l’a zis', '"da" - l\'a zis', '"da" - l\'a zis'],
  ['white space', 'a\u00a0b\tc\nd', 'a b c\nd', 'a b c\nd'],
  ['emoji', 'Da 😀!', 'da 😀!', 'da 😀!'],
];

describe('fold', () => {
  it.each(cases)('%s', (_name, text, kept, stripped) => {
    expect(fold(text, 'keep').text).toBe(kept);
    expect(fold(text, 'strip').text).toBe(stripped);
  });

  it('leads every folded index back to its place', () => {
    const folded = fold('A v\u200bac\u200bcin!', 'strip');
    const at = folded.text.indexOf('vaccin');
    expect(folded.origin(at)).toBe(2);
    expect(folded.origin(at + 6)).toBe(10);
    expect(folded.origin(folded.text.length)).toBe(11);
  });

  it('never grows, keeps origins ascending, and is stable when folded again', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        const folded = fold(text, 'strip');
        expect(folded.text.length).toBeLessThanOrEqual(text.length);
        for (let index = 1; index <= folded.text.length; index++) {
          expect(folded.origin(index)).toBeGreaterThan(folded.origin(index - 1));
        }
        expect(fold(folded.text, 'strip').text).toBe(folded.text);
      }),
    );
  });
});

describe('stripDiacritics', () => {
  it('keeps letters', () => expect(stripDiacritics('Brânză și țuică')).toBe('Branza si tuica'));
});
