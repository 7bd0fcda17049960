import { describe, expect, it } from 'vitest';
import { TfIdfModel, termCounts } from '../../src/text/term-weights.ts';

const model = {
  terms: ['free', 'free money', 'money', 'report'],
  rarity: [150, 300, 200, 200],
  outputs: [{ code: 'loud', bias: -0.5, scale: 0.1, weights: [10, 40, 5, -30] }],
};
const reader = new TfIdfModel(model);
const score = (text: string) => reader.scores(text).get('loud') ?? Number.NaN;

describe('words and pairs of words', () => {
  it('are counted without case, marks and digits', () => {
    expect([...termCounts('Ștampila din 1999, știi?')]).toEqual([...termCounts('STAMPILA din 12 stii')]);
    expect(termCounts('a b c').size).toBe(0);
  });

  it('are cut to their first letters where the forms of a word are to be one, and marks stand beside them', () => {
    const terms = termCounts('Alegerilor! Alegeri „a” 😱', { letters: 5, marks: true });
    expect([...terms]).toEqual([
      ['alege', 2],
      ['alege !', 1],
      ['!', 1],
      ['! alege', 1],
      ['alege „', 1],
      ['„', 1],
      ['„ a', 1],
      ['a', 1],
      ['a ”', 1],
      ['”', 1],
    ]);
  });

  it('are read as the weights were learned', () => {
    const cut = new TfIdfModel({
      reading: { letters: 3, marks: true },
      terms: ['fre', 'fre mon', '!'],
      rarity: [100, 100, 100],
      outputs: [{ code: 'loud', bias: 0, scale: 0.1, weights: [10, 10, 10] }],
    });
    const [once, shared] = [cut.scores('Freely moneyed!'), cut.parts(['Freely moneyed!', 'Nothing'])];
    expect(once.get('loud')).toBeCloseTo(3 / Math.sqrt(3), 6);
    expect((shared[0] ?? 0) / 2).toBeCloseTo(once.get('loud') ?? 0, 6);
  });

  it('speak for and against, and not at all where none is known', () => {
    expect(score('Free money!')).toBeGreaterThan(score('money free'));
    expect(score('the report')).toBeLessThan(-0.5);
    expect(score('nothing of this')).toBe(-0.5);
  });

  it('are shared among sentences so that their mean is the score of the text', () => {
    const sentences = ['Free money now', 'A report of money', 'Nothing here'];
    const parts = reader.parts(sentences);
    const mean = parts.reduce((sum, part) => sum + part, 0) / parts.length;
    expect(mean).toBeCloseTo(score(sentences.join('. ')), 6);
    expect(parts[0]).toBeGreaterThan(parts[2] ?? 0);
    expect(parts[2]).toBeCloseTo(-0.5, 6);
  });
});
