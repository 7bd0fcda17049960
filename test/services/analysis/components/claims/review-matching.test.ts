import { describe, expect, it, vi } from 'vitest';
import { matchReviews } from '../../../../../src/services/analysis/components/claims/review-matching.ts';
import type { RunContext } from '../../../../../src/services/analysis/components/component.ts';
import type { GatheredEvidence } from '../../../../../src/services/analysis/dependencies/evidence.ts';
import { untimedTask } from '../../../../../src/services/analysis/engines/text-engines.ts';

type Found = GatheredEvidence['items'][number];
type Review = NonNullable<Found['fact_check']>;

const SENTENCE = 'They put trackers in the jab.';
const review = (more: Partial<Review> = {}): Review => ({
  claim: 'COVID-19 vaccines contain microchips.',
  wordings: [
    'There is a microchip in the vaccine.',
    'În vaccin se află un cip.',
    'The vaccine implants a chip.',
  ],
  claim_key: 'chip',
  similarity: 0.6,
  rating: 'false',
  rating_text: null,
  stance: 'refutes',
  decides: true,
  finding: null,
  ...more,
});
const found = (fact_check: Review | null): Found => ({
  url: 'https://one.example/page',
  title: 'A page',
  publisher: 'One',
  snippet: 'A passage.',
  relevance_score: 0.9,
  credibility_score: 0.8,
  published_at: null,
  retrieved_at: '2026-05-01T00:00:00.000Z',
  full_text_hash: 'a',
  language: 'en',
  stance: null,
  passages: [],
  copies: [],
  fact_check,
  provenance: { extraction_method: 'index', fallback_chain: [], providers: [], query: 'q', origin: null },
});

const run: RunContext = { ...untimedTask('ana'), correlationId: 'c', planType: 1, assignments: {} };
const none = { similarity: 0.1, isSame: false, isNarrower: false };

/** Words that match as given, and a reading of meaning that gives a probability. */
function reading(probability: number | undefined, words: Partial<typeof none> = {}) {
  return {
    match: vi.fn(() => ({ ...none, ...words })),
    inLanguageOf: (_sentence: string, wordings: readonly string[]) =>
      wordings.filter((wording) => !wording.includes('ă')),
    likeness: vi.fn((_sentence: string, _wordings: readonly string[]) => probability),
  };
}
const encode = async (texts: readonly string[]) => texts.map(() => new Float32Array(512));
const match = (
  items: readonly Found[],
  read: ReturnType<typeof reading>,
  encoder: Parameters<typeof matchReviews>[2]['encode'] = encode,
) => matchReviews(SENTENCE, items, { reading: read, encode: encoder }, run);

describe('a reviewed claim', () => {
  it('is shown by its meaning where no wording says the same, and decides nothing', async () => {
    const read = reading(0.95);
    expect(await match([found(review())], read)).toEqual([
      { match: 'suggested', similarity: 0.95, claim: 'COVID-19 vaccines contain microchips.' },
    ]);
    expect(read.likeness.mock.calls[0]?.[1]).toEqual([
      'COVID-19 vaccines contain microchips.',
      'There is a microchip in the vaccine.',
      'The vaccine implants a chip.',
    ]);
  });

  it.each<[string, number | undefined]>([
    ['where the meaning is not sure enough', 0.69],
    ['where too few wordings are known', undefined],
  ])('is not shown by its meaning %s', async (_why, probability) => {
    expect(await match([found(review())], reading(probability))).toEqual([undefined]);
  });

  it('is shown with the higher of both numbers', async () => {
    const byBoth = await match([found(review())], reading(0.8, { similarity: 0.6 }));
    expect(byBoth).toMatchObject([{ match: 'suggested', similarity: 0.8 }]);
    const byWords = await match([found(review())], reading(0.75, { similarity: 0.9 }));
    expect(byWords).toMatchObject([{ match: 'suggested', similarity: 0.9 }]);
  });

  it('is not asked for its meaning where a wording says the same', async () => {
    const read = reading(0.99, { similarity: 0.8, isSame: true });
    const [first] = await match([found(review())], read);
    expect(first).toMatchObject({ match: 'confirmed', similarity: 0.8 });
    expect(read.likeness).not.toHaveBeenCalled();
  });

  it('is asked for its meaning only where it is among the two nearest, and each once', async () => {
    const claims = ['One claim.', 'Another claim.', 'A third claim.', 'One claim.'];
    const vectors = new Map([
      [SENTENCE, 1],
      ['One claim.', 0.9],
      ['Another claim.', 0.2],
      ['A third claim.', 0.5],
    ]);
    const along = async (texts: readonly string[]) =>
      texts.map((text) => new Float32Array(512).fill((vectors.get(text) ?? 0) / Math.sqrt(512)));
    const read = reading(0.2);
    await match(
      claims.map((claim) => found(review({ claim, wordings: [] }))),
      read,
      along,
    );
    expect(read.likeness.mock.calls.map(([, [claim]]) => claim)).toEqual(['One claim.', 'A third claim.']);
  });

  it('is found by its words alone where nothing can be encoded', async () => {
    const items = [found(null), found(review())];
    expect(await match(items, reading(0.2, { similarity: 0.6 }), async () => undefined)).toEqual([
      undefined,
      { match: 'suggested', similarity: 0.6, claim: 'COVID-19 vaccines contain microchips.' },
    ]);
  });
});
