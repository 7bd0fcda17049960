import { z } from 'zod';
import { createVendorClient } from '../../../../foundation/vendor-client.ts';
import { answerOf, isoDate, listOf, type SearchProvider } from '../provider.ts';
import type { KeyedVendorOptions } from './options.ts';

const answer = z.object({
  results: listOf(
    z.object({
      title: z.string(),
      url: z.string(),
      content: z.string(),
      published_date: z.string().nullish(),
    }),
  ),
});

const MOST_RESULTS = 20;

/** Tavily, with a key. */
export function createTavily({ baseUrl, key, userAgent, timeoutMs }: KeyedVendorOptions): SearchProvider {
  const client = createVendorClient({
    name: 'tavily',
    baseUrl: baseUrl ?? 'https://api.tavily.com',
    headers: { 'user-agent': userAgent, authorization: `Bearer ${key}` },
    timeoutMs,
    answerBytes: 8 * 1024 * 1024,
  });
  return {
    name: 'tavily',
    tier: 'premium',
    heedsFreshness: true,
    angles: ['sentence', 'translation', 'key_words', 'fact_check'],
    async search({ query, count, freshness, allow, block }, signal) {
      const body = {
        query,
        max_results: Math.min(count, MOST_RESULTS),
        ...(freshness !== null && { time_range: freshness }),
        ...(allow.length > 0 && { include_domains: allow }),
        ...(block.length > 0 && { exclude_domains: block }),
      };
      return answerOf(await client.postJson('/search', body, answer, { signal }), ({ results }) =>
        results.map(({ title, url, content, published_date }) => ({
          url,
          title,
          snippet: content,
          published_at: isoDate(published_date),
        })),
      );
    },
    close: () => client.close(),
  };
}
