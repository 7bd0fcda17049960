import { z } from 'zod';
import { createVendorClient } from '../../../../foundation/vendor-client.ts';
import { answerOf, isoDate, listOf, plainSnippet, type SearchProvider } from '../provider.ts';
import type { KeyedVendorOptions } from './options.ts';

const pages = z.object({
  web: z
    .object({
      results: listOf(
        z.object({
          title: z.string(),
          url: z.string(),
          description: z.string().nullish(),
          page_age: z.string().nullish(),
        }),
      ),
    })
    .optional(),
});
const images = z.object({
  results: listOf(
    z.object({
      title: z.string(),
      url: z.string(),
      source: z.string().nullish(),
      thumbnail: z.object({ src: z.string() }).nullish(),
      properties: z.object({
        url: z.string(),
        width: z.number().int().nullish(),
        height: z.number().int().nullish(),
      }),
    }),
  ).default([]),
});

const FRESHNESS = { day: 'pd', week: 'pw', month: 'pm', year: 'py' } as const;
const MOST = { pages: 20, images: 200 };
/** Longer queries are refused. */
const LONGEST = { characters: 400, words: 50 };

const cut = (query: string) =>
  query.slice(0, LONGEST.characters).split(/\s+/).slice(0, LONGEST.words).join(' ');

/** Brave Search, with a key. */
export function createBrave({ baseUrl, key, userAgent, timeoutMs }: KeyedVendorOptions): SearchProvider {
  const client = createVendorClient({
    name: 'brave',
    baseUrl: baseUrl ?? 'https://api.search.brave.com',
    headers: { 'user-agent': userAgent, 'x-subscription-token': key, accept: 'application/json' },
    timeoutMs,
    answerBytes: 4 * 1024 * 1024,
  });
  return {
    name: 'brave',
    tier: 'premium',
    heedsFreshness: true,
    angles: ['sentence', 'translation', 'key_words', 'fact_check'],
    async search({ query, count, language, country, freshness, safeSearch }, signal) {
      const result = await client.getJson('/res/v1/web/search', pages, {
        signal,
        query: {
          q: cut(query),
          count: Math.min(count, MOST.pages),
          country,
          search_lang: language,
          freshness: freshness === null ? undefined : FRESHNESS[freshness],
          safesearch: safeSearch,
        },
      });
      return answerOf(result, ({ web }) =>
        (web?.results ?? []).map(({ title, url, description, page_age }) => ({
          url,
          title: plainSnippet(title),
          snippet: plainSnippet(description ?? ''),
          published_at: isoDate(page_age),
        })),
      );
    },
    async images({ query, count, language, country, safeSearch, spellcheck }, signal) {
      const result = await client.getJson('/res/v1/images/search', images, {
        signal,
        query: {
          q: cut(query),
          count: Math.min(count, MOST.images),
          search_lang: language,
          country,
          safesearch: safeSearch,
          spellcheck,
        },
      });
      return answerOf(result, ({ results }) =>
        results.map(({ title, url, source, thumbnail, properties }) => ({
          image_url: properties.url,
          thumbnail_url: thumbnail?.src ?? null,
          source_url: url,
          title: plainSnippet(title),
          description: null,
          width: properties.width ?? null,
          height: properties.height ?? null,
          publisher: source ?? null,
        })),
      );
    },
    close: () => client.close(),
  };
}
