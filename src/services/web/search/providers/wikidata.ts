import { z } from 'zod';
import { createVendorClient } from '../../../../foundation/vendor-client.ts';
import { answerOf, listOf, type SearchProvider } from '../provider.ts';
import type { VendorOptions } from './options.ts';

const answer = z.object({
  search: listOf(
    z.object({ id: z.string(), label: z.string().nullish(), description: z.string().nullish() }),
  ),
});

const SITE = 'https://www.wikidata.org';
const MOST_RESULTS = 50;
/** It finds things by their names: a whole sentence is no name. */
const MOST_WORDS = 5;

/** Wikidata's search for things by name; queries of many words are not for it, and find nothing without being sent. */
export function createWikidata({ baseUrl, userAgent, timeoutMs }: VendorOptions): SearchProvider {
  const client = createVendorClient({
    name: 'wikidata',
    baseUrl: baseUrl ?? SITE,
    headers: { 'user-agent': userAgent },
    timeoutMs,
    answerBytes: 2 * 1024 * 1024,
  });
  return {
    name: 'wikidata',
    tier: 'free',
    heedsFreshness: false,
    angles: ['name'],
    async search({ query, count, language = 'en' }, signal) {
      if (query.trim().split(/\s+/).length > MOST_WORDS) return { ok: true, items: [] };
      const result = await client.getJson('/w/api.php', answer, {
        signal,
        query: {
          action: 'wbsearchentities',
          search: query,
          language,
          uselang: language,
          limit: Math.min(count, MOST_RESULTS),
          format: 'json',
        },
      });
      return answerOf(result, ({ search }) =>
        search.map(({ id, label, description }) => ({
          url: `${SITE}/wiki/${encodeURIComponent(id)}`,
          title: label ?? id,
          snippet: description ?? '',
          published_at: null,
        })),
      );
    },
    close: () => client.close(),
  };
}
