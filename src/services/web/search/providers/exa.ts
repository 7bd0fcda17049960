import { z } from 'zod';
import { createVendorClient } from '../../../../foundation/vendor-client.ts';
import { answerOf, isoDate, listOf, type SearchProvider } from '../provider.ts';
import type { KeyedVendorOptions } from './options.ts';

const answer = z.object({
  results: listOf(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      publishedDate: z.string().nullish(),
      text: z.string().nullish(),
    }),
  ),
});

const MOST_RESULTS = 100;
const SNIPPET_CHARACTERS = 1000;
const DAY_MS = 24 * 3600 * 1000;
const DAYS = { day: 1, week: 7, month: 31, year: 366 } as const;

/** Exa, with a key. */
export function createExa({ baseUrl, key, userAgent, timeoutMs }: KeyedVendorOptions): SearchProvider {
  const client = createVendorClient({
    name: 'exa',
    baseUrl: baseUrl ?? 'https://api.exa.ai',
    headers: { 'user-agent': userAgent, 'x-api-key': key },
    timeoutMs,
    answerBytes: 8 * 1024 * 1024,
  });
  return {
    name: 'exa',
    tier: 'premium',
    heedsFreshness: true,
    angles: ['sentence', 'translation', 'key_words', 'fact_check'],
    async search({ query, count, country, freshness, allow, block }, signal) {
      const since =
        freshness === null ? undefined : new Date(Date.now() - DAYS[freshness] * DAY_MS).toISOString();
      const body = {
        query,
        numResults: Math.min(count, MOST_RESULTS),
        userLocation: country,
        contents: { text: { maxCharacters: SNIPPET_CHARACTERS } },
        ...(since !== undefined && { startPublishedDate: since }),
        ...(allow.length > 0 && { includeDomains: allow }),
        ...(block.length > 0 && { excludeDomains: block }),
      };
      return answerOf(await client.postJson('/search', body, answer, { signal }), ({ results }) =>
        results.map(({ title, url, publishedDate, text }) => ({
          url,
          title: title ?? url,
          snippet: text ?? '',
          published_at: isoDate(publishedDate),
        })),
      );
    },
    close: () => client.close(),
  };
}
