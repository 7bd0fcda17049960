import { z } from 'zod';
import { createVendorClient } from '../../../../foundation/vendor-client.ts';
import { answerOf, isoDate, listOf, type SearchProvider } from '../provider.ts';
import type { VendorOptions } from './options.ts';

const answer = z.object({
  // Nothing found is an object without the list.
  articles: listOf(
    z.object({ url: z.string(), title: z.string(), seendate: z.string(), domain: z.string().nullish() }),
  ).default([]),
});

const MOST_RESULTS = 250;
const SPANS = { day: '1d', week: '1w', month: '1m', year: '3m' } as const;
/** Names of languages as its operator wants them. */
const LANGUAGES: Readonly<Record<string, string>> = {
  en: 'english',
  ro: 'romanian',
  de: 'german',
  fr: 'french',
  es: 'spanish',
  it: 'italian',
  hu: 'hungarian',
  ru: 'russian',
  uk: 'ukrainian',
  bg: 'bulgarian',
};
/** Its operators and marks, which a query of plain words must not use by accident. */
const plainWords = (query: string) =>
  query
    .replace(/[^\p{L}\p{N}\s'-]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** News of the last three months. One query a request, since it wants one in five seconds; its errors come as text with 200. */
export function createGdelt({ baseUrl, userAgent, timeoutMs }: VendorOptions): SearchProvider {
  const client = createVendorClient({
    name: 'gdelt',
    baseUrl: baseUrl ?? 'https://api.gdeltproject.org',
    headers: { 'user-agent': userAgent },
    timeoutMs,
    answerBytes: 4 * 1024 * 1024,
  });
  return {
    name: 'gdelt',
    tier: 'free',
    mostQueries: 1,
    heedsFreshness: true,
    // It wants every word of a query in an article.
    angles: ['key_words', 'sentence'],
    async search({ query, count, language, freshness, allow }, signal) {
      const only = allow.slice(0, 5).map((site) => `domainis:${site}`);
      const sourcelang = LANGUAGES[language ?? ''];
      const parts = [
        plainWords(query),
        ...(only.length > 1 ? [`(${only.join(' OR ')})`] : only),
        ...(sourcelang === undefined ? [] : [`sourcelang:${sourcelang}`]),
      ];
      const result = await client.getJson('/api/v2/doc/doc', answer, {
        signal,
        query: {
          query: parts.join(' '),
          mode: 'artlist',
          format: 'json',
          maxrecords: Math.min(count, MOST_RESULTS),
          timespan: SPANS[freshness ?? 'year'],
          sort: 'hybridrel',
        },
      });
      return answerOf(result, ({ articles }) =>
        articles.map(({ url, title, seendate }) => ({
          url,
          title,
          snippet: '',
          published_at: isoDate(seendate),
        })),
      );
    },
    close: () => client.close(),
  };
}
