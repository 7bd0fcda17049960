import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimReviews } from '../../../../src/services/analysis/report/claim-review.ts';
import type { ClaimItem } from '../../../../src/services/analysis/resources/claims-result.ts';
import { sampleSession } from './sample.ts';

const publisher = {
  name: 'Redacția',
  url: 'https://redactia.example',
  reportUrl: 'https://redactia.example/agent-v3/api/v3/pipeline/sessions/x/report',
};

/** The ClaimReview of schema.org, with what readers of it require. */
const claimReview = z.strictObject({
  '@type': z.literal('ClaimReview'),
  '@id': z.url(),
  url: z.url(),
  datePublished: z.iso.date(),
  author: z.strictObject({ '@type': z.literal('Organization'), name: z.string().min(1), url: z.url() }),
  inLanguage: z.enum(['ro', 'en']),
  claimReviewed: z.string().min(1),
  reviewBody: z.string().min(1),
  itemReviewed: z.strictObject({
    '@type': z.literal('Claim'),
    appearance: z
      .strictObject({ '@type': z.literal('CreativeWork'), url: z.url(), headline: z.string().optional() })
      .optional(),
  }),
  reviewRating: z.strictObject({
    '@type': z.literal('Rating'),
    alternateName: z.string().min(1),
    ratingValue: z.int().min(1).max(5).optional(),
    worstRating: z.literal(1).optional(),
    bestRating: z.literal(5).optional(),
  }),
});
const graph = z.strictObject({
  '@context': z.literal('https://schema.org'),
  '@graph': z.array(claimReview).min(1),
});

function sessionWith(...changes: Partial<ClaimItem>[]) {
  const base = sampleSession();
  const [claim] = base.claims?.claims_verified ?? [];
  if (claim === undefined || base.claims === null) throw new Error('the sample has no claim');
  return {
    ...base,
    claims: { ...base.claims, claims_verified: changes.map((change) => ({ ...claim, ...change })) },
  };
}

const REVIEWED = { reviewed_at: '2026-03-04T23:30:00.000Z' };

describe('reviews of claims', () => {
  it('are none while only engines decided', () => {
    expect(claimReviews(sampleSession(), 'ro', publisher)).toBeNull();
    expect(claimReviews({ ...sampleSession(), claims: null }, 'ro', publisher)).toBeNull();
  });

  it('hold the claims that a person decided, in the form of schema.org', () => {
    const session = sessionWith({ ...REVIEWED, id: 'claim-7' }, { id: 'claim-8' });
    const [review, ...others] = graph.parse(claimReviews(session, 'ro', publisher))['@graph'];
    expect(others).toEqual([]);
    expect(review).toMatchObject({
      '@id': `${publisher.reportUrl}#claim-7`,
      datePublished: '2026-03-04',
      author: { name: 'Redacția' },
      claimReviewed: 'Barajul a provocat inundația.',
      itemReviewed: {
        appearance: { url: 'https://stiri.example/baraj?a=1&b=2', headline: 'URGENT: barajul a cedat!' },
      },
      reviewRating: { alternateName: 'Fals', ratingValue: 1, worstRating: 1, bestRating: 5 },
    });
  });

  it.each([
    ['verified_true', 5, 'True'],
    ['partly_true', 3, 'Half true'],
    ['misleading', 2, 'Misleading'],
    ['conflicting', undefined, 'Disputed'],
    ['unverified', undefined, 'Unproven'],
  ])('rate %s', (status, ratingValue, alternateName) => {
    const reviews = graph.parse(claimReviews(sessionWith({ ...REVIEWED, status }), 'en', publisher));
    expect(reviews['@graph'][0]?.reviewRating.ratingValue).toBe(ratingValue);
    expect(reviews['@graph'][0]?.reviewRating.alternateName).toBe(alternateName);
  });

  it.each(['opinion', 'pending_prediction'])('do not judge what is no statement of fact: %s', (status) => {
    expect(claimReviews(sessionWith({ ...REVIEWED, status }), 'en', publisher)).toBeNull();
  });

  it('name no place for a text that came without an address', () => {
    const session = { ...sessionWith(REVIEWED), input_url: null, input_media_url: null };
    const reviews = graph.parse(claimReviews(session, 'ro', publisher));
    expect(reviews['@graph'][0]?.itemReviewed).toEqual({ '@type': 'Claim' });
  });
});
