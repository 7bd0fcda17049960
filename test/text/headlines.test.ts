import { describe, expect, it } from 'vitest';
import { clickbaitChance } from '../../src/text/headlines.ts';

describe('the chance of clickbait', () => {
  it.each([
    [
      'both kinds that tease',
      { listicle: 0.25, agency: 0.125, 'curiosity gap': 0.5, informative: 0.125 },
      0.75,
    ],
    ['one kind where a model knows one', { 'curiosity gap': 0.25, informative: 0.75 }, 0.25],
    ['nothing where a model knows none', { news: 1 }, 0],
  ])('is that of %s', (_, shares, chance) => {
    expect(clickbaitChance({ shares })).toBe(chance);
  });
});
