import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { termsOf } from '../../src/text/terms.ts';
import { codePoint } from '../code-points.ts';

describe('terms', () => {
  it.each([
    ['Vaccinurile provoacă autism', 'vaccinurile provoaca autism'],
    ['Creșterea prețurilor', 'CREŞTEREA PREŢURILOR'],
    ['vaccines and vaccination', 'vaccine vaccinations'],
    ['alegerile', 'alegerilor'],
    ['12,5 la sută', '12.5 la suta'],
    ['657.461 de copii', '657,461 copii'],
  ])('%s and %s are the same', (one, other) => {
    expect(termsOf(one)).toEqual(termsOf(other));
  });

  it.each([
    ['12', '13'],
    ['2023', '2024'],
    ['nu este', 'este'],
    ['not safe', 'safe'],
    ['Ion', 'Ioana'],
  ])('%s and %s differ', (one, other) => {
    expect(termsOf(one)).not.toEqual(termsOf(other));
  });

  it('leaves words out that only bind others, and keeps repetitions', () => {
    expect(termsOf('the river of the river')).toEqual(['river', 'river']);
  });

  it('has nothing but letters, digits and points in it, whatever it reads', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 80 }), (text) => {
        for (const term of termsOf(`5g'ul ${text} 7'a`)) expect(term).toMatch(/^[\p{L}\p{N}.]{1,40}$/u);
      }),
    );
  });
});
