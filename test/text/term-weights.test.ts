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
