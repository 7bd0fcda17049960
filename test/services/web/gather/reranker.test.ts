import { describe, expect, it } from 'vitest';
import type { RankedSource } from '../../../../src/services/web/gather/relevance.ts';
import { createRerank, type Rerank, rerankSources } from '../../../../src/services/web/gather/reranker.ts';
import type { Source } from '../../../../src/services/web/gather/source.ts';

const { signal } = new AbortController();
const CLAIM = 'Podul a fost închis.';

const source = (name: string, more: Partial<Source> = {}): Source => ({
  ...{ url: `https://${name}.example/`, canonicalUrl: null, title: name, publisher: null, language: 'ro' },
  ...{
    published_at: null,
    retrieved_at: '',
    text: name,
    indexPassages: [],
    textHash: name,
    method: 'http',
    chain: [],
  },
  ...{ providers: [], query: '', origin: null, review: null, similarity: null },
  ...more,
});
const ranked = (
  name: string,
  passages: readonly (readonly [string, number])[],
  more: Partial<Source> = {},
) => ({
  source: source(name, more),
  passages: passages.map(([text, score]) => ({ text, score })),
});
const one = ranked('one', [
  ['a', 0.6],
  ['b', 0.5],
]);
const two = ranked('two', [['c', 0.5]]);
const scores: Readonly<Record<string, number>> = { a: 0.1, b: 0.3, c: 0.9, [CLAIM]: 1 };
const knows: Rerank = async (_claim, passages) => passages.map((text) => scores[text] ?? 0);
const outline = (sources: readonly RankedSource[]) =>
  sources.map(({ source: { title }, passages }) => [
    title,
    ...passages.map(({ text, score }) => `${text} ${score}`),
  ]);

describe('the order of passages', () => {
  it('is by the mean of both scores, of sources and within them', async () => {
    const { sources, passages, succeeded } = await rerankSources(CLAIM, [one, two], knows, signal);
    expect(outline(sources)).toEqual([
      ['two', 'c 0.7'],
      ['one', 'b 0.4', 'a 0.35'],
    ]);
    expect([passages, succeeded]).toEqual([3, true]);
  });

  it('leaves out what both together find beside the claim', async () => {
    const beside = ranked('beside', [['z', 0.3]]);
    const { sources, passages } = await rerankSources(CLAIM, [two, beside], knows, signal);
    expect(outline(sources)).toEqual([['two', 'c 0.7']]);
    expect(passages).toBe(2);
  });

  it('reads a review as the claim that it reviews', async () => {
    const review = {
      ...{ claim: CLAIM, wordings: [], claim_key: 'k', rating: 'false', rating_text: null },
      ...{ stance: 'refutes', finding: null, decides: true },
    };
    const reviewed = ranked('review', [['x', 0.6]], { review });
    const { sources } = await rerankSources(CLAIM, [two, reviewed], knows, signal);
    expect(outline(sources)[0]).toEqual(['review', 'x 0.8']);
  });

  it.each<[string, Rerank]>([
    ['is lost', async () => ({ lost: 'timeout' })],
    ['throws', () => Promise.reject(new Error('gone'))],
  ])('stays our own where the service %s', async (_how, rerank) => {
    const { sources, succeeded } = await rerankSources(CLAIM, [one, two], rerank, signal);
    expect(sources).toEqual([one, two]);
    expect(succeeded).toBe(false);
  });
});

describe('the reranking service', () => {
  type Client = NonNullable<Parameters<typeof createRerank>[0]>;
  const answering = (results: readonly { index: number; relevance_score: number }[]) =>
    createRerank({ rerank: async () => ({ results }) } as unknown as Client);

  it('is not asked where it is switched off', () => {
    expect(createRerank(undefined)).toBeUndefined();
  });

  it('gives its scores in the order of the passages', async () => {
    const rerank = answering([
      { index: 1, relevance_score: 0.8 },
      { index: 0, relevance_score: 0.2 },
    ]);
    expect(await rerank?.(CLAIM, ['a', 'b'], signal)).toEqual([0.2, 0.8]);
  });

  it('has said nothing where a passage is missing from its answer', async () => {
    const rerank = answering([{ index: 1, relevance_score: 0.8 }]);
    expect(await rerank?.(CLAIM, ['a', 'b'], signal)).toEqual({ lost: 'invalid_answer' });
  });

  it('is named by why it was lost', async () => {
    const lost = {
      rerank: async (_: unknown, { lost: tell }: { lost: (loss: unknown) => void }) =>
        tell({ reason: 'timeout' }),
    };
    expect(await createRerank(lost as unknown as Client)?.(CLAIM, ['a'], signal)).toEqual({
      lost: 'timeout',
    });
  });
});
