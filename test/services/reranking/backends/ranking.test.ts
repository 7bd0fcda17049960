import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../src/foundation/files.ts';
import type { PassageMatch } from '../../../../src/services/reranking/backends/packaged/passage-matching.ts';
import {
  passageScores,
  rankingWeights,
  relevances,
} from '../../../../src/services/reranking/backends/packaged/ranking.ts';

const weights = rankingWeights.parse(
  JSON.parse(readFileSync(packageFile('models', 'reranker.json'), 'utf8')),
);
const query = { language: 'en' as const, surprise: [4, 10] };
const passage = (counts: number[], cosine: number, language: 'en' | 'ro' = 'en'): PassageMatch => ({
  language,
  length: 20,
  counts: Uint8Array.from(counts),
  cosine,
});

describe('scores', () => {
  it('count a rare word more than a frequent one', () => {
    const documents = [
      [1, 0],
      [0, 1],
      [1, 1],
    ].map((counts) => [passage(counts, 0)]);
    const [common = 1, rare = 1, both = 1] = passageScores(query, documents).flatMap((passages) =>
      passages.map(({ lexical }) => lexical),
    );
    expect(rare).toBeGreaterThan(common);
    expect(both).toBeGreaterThan(rare);
  });

  it('are between 0 and 1, and never lower for more shared words or a nearer meaning', () => {
    const language = fc.constantFrom('en' as const, 'ro' as const);
    const count = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(language, count, fc.float({ min: 0, max: 1, noNaN: true }), (own, word, cosine) => {
        const [less = 0, more = 0, nearer = 0] = relevances(weights, query, [
          [passage([1, word], cosine, own)],
          [passage([1, word + 1], cosine, own)],
          [passage([1, word], Math.min(1, cosine + 0.1), own)],
        ]);
        expect(less).toBeGreaterThan(0);
        expect(more).toBeLessThan(1);
        expect(more).toBeGreaterThanOrEqual(less);
        expect(nearer).toBeGreaterThanOrEqual(less);
      }),
    );
  });

  it('are those of the best passage, 0 where there is none', () => {
    const far = passage([0, 0], 0.1);
    const near = passage([1, 1], 0.8);
    const [one, two, none] = relevances(weights, query, [[near], [far, near, far], []]);
    expect(two).toBe(one);
    expect(none).toBe(0);
  });
});
