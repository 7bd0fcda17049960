import { z } from 'zod';
import type { Circuited } from '../../../../foundation/breaker.ts';
import { createVendorClient } from '../../../../foundation/vendor-client.ts';
import { answerOf, isoDate, listOf, plainSnippet, type SearchProvider } from '../provider.ts';
import type { VendorOptions } from './options.ts';

/** A configuration lists some hundred engines, each with a few hundred bytes. */
const ANSWER_BYTES = 4 * 1024 * 1024;

/** The fields of GET /config that are read (https://docs.searxng.org/admin/api.html). */
const configuration = z.object({
  engines: z.array(z.object({ name: z.string(), enabled: z.boolean() })),
});

/** The fields of GET /search that are read (https://docs.searxng.org/dev/search_api.html). */
const pages = z.object({
  results: listOf(
    z.object({
      url: z.string(),
      title: z.string().nullish(),
      content: z.string().nullish(),
      publishedDate: z.string().nullish(),
    }),
  ),
});
const images = z.object({
  results: listOf(
    z.object({
      url: z.string(),
      title: z.string().nullish(),
      content: z.string().nullish(),
      img_src: z.string(),
      thumbnail_src: z.string().nullish(),
      resolution: z.string().nullish(),
      source: z.string().nullish(),
    }),
  ),
});

const SAFE_SEARCH = { off: 0, moderate: 1, strict: 2 } as const;

/** Width and height of "1200 x 800". */
function sizeOf(resolution: string | null | undefined): { width: number | null; height: number | null } {
  const [, width, height] = /^(\d{1,6})\s*[x×]\s*(\d{1,6})/.exec(resolution ?? '') ?? [];
  return {
    width: width === undefined ? null : Number(width),
    height: height === undefined ? null : Number(height),
  };
}

/** An address without its scheme, as pages write it, or a path on the server, as its picture proxy has it, made whole. */
function wholeAddress(address: string, baseUrl: string | undefined): string {
  if (address.startsWith('//')) return `https:${address}`;
  return URL.canParse(address, baseUrl) ? new URL(address, baseUrl).href : address;
}

/** A SearXNG server. */
export type Searxng = SearchProvider & Circuited & Required<Pick<SearchProvider, 'probe'>>;

/** Opens a SearXNG server at an address from the settings. Nothing is sent before the first call. */
export function createSearxng({ baseUrl, userAgent, timeoutMs }: VendorOptions): Searxng {
  const client = createVendorClient({
    name: 'searxng',
    baseUrl,
    headers: { 'user-agent': userAgent },
    timeoutMs,
    answerBytes: ANSWER_BYTES,
  });
  return {
    name: 'searxng',
    tier: 'free',
    heedsFreshness: true,
    async search({ query, language, freshness, safeSearch }, signal) {
      const result = await client.getJson('/search', pages, {
        signal,
        query: {
          q: query,
          format: 'json',
          categories: 'general',
          language,
          time_range: freshness ?? undefined,
          safesearch: SAFE_SEARCH[safeSearch],
        },
      });
      return answerOf(result, ({ results }) =>
        results.map(({ url, title, content, publishedDate }) => ({
          url,
          title: plainSnippet(title ?? '') || url,
          snippet: plainSnippet(content ?? ''),
          published_at: isoDate(publishedDate),
        })),
      );
    },
    async images({ query, language, safeSearch }, signal) {
      const safesearch = SAFE_SEARCH[safeSearch];
      const asked = { q: query, format: 'json', categories: 'images', language, safesearch };
      const result = await client.getJson('/search', images, { signal, query: asked });
      return answerOf(result, ({ results }) =>
        results.map(({ url, title, content, img_src, thumbnail_src, resolution, source }) => ({
          image_url: wholeAddress(img_src, baseUrl),
          thumbnail_url: thumbnail_src ? wholeAddress(thumbnail_src, baseUrl) : null,
          source_url: url,
          title: plainSnippet(title ?? ''),
          description: plainSnippet(content ?? '') || null,
          ...sizeOf(resolution),
          publisher: source ?? null,
        })),
      );
    },
    // The configuration is the cheapest thing that it documents: no search engine is asked for it.
    probe: async (signal) => {
      const answer = await client.getJson('/config', configuration, { signal });
      if (!answer.ok) throw new Error(answer.message);
      if (!answer.value.engines.some(({ enabled }) => enabled)) {
        throw new Error('searxng: no search engine is enabled');
      }
    },
    circuits: client.circuits,
    close: () => client.close(),
  };
}
