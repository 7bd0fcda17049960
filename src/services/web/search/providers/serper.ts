import { z } from 'zod';
import { createVendorClient } from '../../../../foundation/vendor-client.ts';
import { answerOf, isoDate, listOf, type SearchProvider } from '../provider.ts';
import type { KeyedVendorOptions } from './options.ts';

const pages = z.object({
  organic: listOf(
    z.object({
      title: z.string(),
      link: z.string(),
      snippet: z.string().nullish(),
      date: z.string().nullish(),
    }),
  ).default([]),
});
const images = z.object({
  images: listOf(
    z.object({
      title: z.string(),
      imageUrl: z.string(),
      imageWidth: z.number().int().nullish(),
      imageHeight: z.number().int().nullish(),
      thumbnailUrl: z.string().nullish(),
      source: z.string().nullish(),
      link: z.string().nullish(),
    }),
  ).default([]),
});

const MOST_RESULTS = 100;

/** Results of Google by Serper, with a key. */
export function createSerper({ baseUrl, key, userAgent, timeoutMs }: KeyedVendorOptions): SearchProvider {
  const client = createVendorClient({
    name: 'serper',
    baseUrl: baseUrl ?? 'https://google.serper.dev',
    headers: { 'user-agent': userAgent, 'x-api-key': key },
    timeoutMs,
    answerBytes: 4 * 1024 * 1024,
  });
  return {
    name: 'serper',
    tier: 'premium',
    heedsFreshness: true,
    angles: ['sentence', 'translation', 'key_words', 'fact_check'],
    async search({ query, count, language, country, freshness }, signal) {
      const body = {
        q: query,
        gl: country.toLowerCase(),
        ...(language !== undefined && { hl: language }),
        num: Math.min(count, MOST_RESULTS),
        ...(freshness !== null && { tbs: `qdr:${freshness[0]}` }),
      };
      return answerOf(await client.postJson('/search', body, pages, { signal }), ({ organic }) =>
        organic.map(({ title, link, snippet, date }) => ({
          url: link,
          title,
          snippet: snippet ?? '',
          published_at: isoDate(date),
        })),
      );
    },
    async images({ query, count, language, country, spellcheck }, signal) {
      const hl = language === undefined ? {} : { hl: language };
      const num = Math.min(count, MOST_RESULTS);
      const body = { q: query, gl: country.toLowerCase(), ...hl, num, autocorrect: spellcheck };
      return answerOf(await client.postJson('/images', body, images, { signal }), (value) =>
        value.images.map((image) => ({
          image_url: image.imageUrl,
          thumbnail_url: image.thumbnailUrl ?? null,
          source_url: image.link ?? null,
          title: image.title,
          description: null,
          width: image.imageWidth ?? null,
          height: image.imageHeight ?? null,
          publisher: image.source ?? null,
        })),
      );
    },
    close: () => client.close(),
  };
}
