import { z } from 'zod';
import { createVendorClient } from '../../../../foundation/vendor-client.ts';
import { answerOf, isoDate, listOf, plainSnippet, type SearchProvider } from '../provider.ts';
import type { VendorOptions } from './options.ts';

const answer = z.object({
  query: z.object({
    search: listOf(z.object({ title: z.string(), snippet: z.string(), timestamp: z.string().nullish() })),
  }),
});

/** Editions that are asked; every other language is asked in English. */
const EDITIONS = ['en', 'ro', 'de', 'fr', 'es', 'it', 'hu', 'pl', 'uk', 'ru', 'bg'];
const MOST_RESULTS = 50;

/** Wikipedia's own search, in the edition of the language. */
export function createWikipedia({ baseUrl, userAgent, timeoutMs }: VendorOptions): SearchProvider {
  const client = createVendorClient({
    name: 'wikipedia',
    headers: { 'user-agent': userAgent },
    timeoutMs,
    answerBytes: 2 * 1024 * 1024,
  });
  return {
    name: 'wikipedia',
    tier: 'free',
    heedsFreshness: false,
    // Its search wants every word of a query on a page.
    angles: ['sentence', 'translation', 'key_words', 'core'],
    async search({ query, count, language }, signal) {
      const edition = language !== undefined && EDITIONS.includes(language) ? language : 'en';
      const site = `https://${edition}.wikipedia.org`;
      const result = await client.getJson(`${baseUrl ?? site}/w/api.php`, answer, {
        signal,
        query: {
          action: 'query',
          list: 'search',
          srsearch: query,
          srlimit: Math.min(count, MOST_RESULTS),
          srprop: 'snippet|timestamp',
          format: 'json',
          formatversion: 2,
        },
      });
      return answerOf(result, ({ query: { search } }) =>
        search.map(({ title, snippet, timestamp }) => ({
          url: `${site}/wiki/${encodeURIComponent(title.replaceAll(' ', '_'))}`,
          title,
          snippet: plainSnippet(snippet),
          published_at: isoDate(timestamp),
        })),
      );
    },
    close: () => client.close(),
  };
}
