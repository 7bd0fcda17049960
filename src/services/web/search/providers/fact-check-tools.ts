import { z } from 'zod';
import { createVendorClient } from '../../../../foundation/vendor-client.ts';
import { answerOf, isoDate, listOf, type PageHit, type SearchProvider } from '../provider.ts';
import type { KeyedVendorOptions } from './options.ts';

const review = z.object({
  publisher: z.object({ name: z.string().nullish(), site: z.string().nullish() }).optional(),
  url: z.string(),
  title: z.string().nullish(),
  reviewDate: z.string().nullish(),
  textualRating: z.string().nullish(),
  languageCode: z.string().nullish(),
});
const claim = z.object({
  text: z.string(),
  claimant: z.string().nullish(),
  claimDate: z.string().nullish(),
  claimReview: listOf(review).default([]),
});
/** An answer without any claim is an empty object. */
const answer = z.object({ claims: listOf(claim).default([]) });

const DAYS = { day: 1, week: 7, month: 31, year: 366 } as const;
const MOST_RESULTS = 50;

/** Every review of a claim is a page; the claim and its rating are what it shows. */
function pagesOf({ text, claimReview }: z.output<typeof claim>): PageHit[] {
  return claimReview.map(({ url, title, reviewDate, textualRating, publisher }) => ({
    url,
    title: title ?? text,
    snippet: `${publisher?.name ?? publisher?.site ?? ''}: ${text} ${textualRating ?? ''}`
      .replace(/^: /, '')
      .trim(),
    published_at: isoDate(reviewDate),
  }));
}

/** Fact-checks that publishers marked as ClaimReview, by Google's Fact Check Tools; free, with a key. */
export function createFactCheckTools({
  baseUrl,
  key,
  userAgent,
  timeoutMs,
}: KeyedVendorOptions): SearchProvider {
  const client = createVendorClient({
    name: 'factcheck',
    baseUrl: baseUrl ?? 'https://factchecktools.googleapis.com',
    headers: { 'user-agent': userAgent, 'x-goog-api-key': key },
    timeoutMs,
    answerBytes: 4 * 1024 * 1024,
  });
  return {
    name: 'factcheck',
    tier: 'free',
    heedsFreshness: true,
    angles: ['sentence', 'translation', 'key_words'],
    async search({ query, count, language, freshness }, signal) {
      const result = await client.getJson('/v1alpha1/claims:search', answer, {
        signal,
        query: {
          query,
          languageCode: language,
          maxAgeDays: freshness === null ? undefined : DAYS[freshness],
          pageSize: Math.min(count, MOST_RESULTS),
        },
      });
      return answerOf(result, ({ claims }) => claims.flatMap(pagesOf));
    },
    close: () => client.close(),
  };
}
