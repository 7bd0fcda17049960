import { z } from 'zod';
import type { HasCircuits } from '../../../../foundation/breaker.ts';
import { createVendorClient } from '../../../../foundation/vendor-client.ts';
import {
  answerOf,
  type ImageHit,
  isoDate,
  listOf,
  type PageHit,
  type ProviderAnswer,
  plainSnippet,
  type SearchProvider,
} from '../provider.ts';
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

/** It has no setting for how many results a page has: so many pages are parameters at most. */
const MOST_PAGES = 4;
/** Its engines give some ten results on a page; a page with fewer than so many is the last one. */
const FULL_PAGE = 8;

/**
 * Asks page after page until there are as many results as are wanted. It ends with a page that is not full, and where a page brings
 * nothing new: engines without further pages answer with their first one again. What was found before a page that fails is kept.
 */
async function readPages<Found>(
  count: number,
  keyOf: (found: Found) => string,
  readPage: (page: number) => Promise<ProviderAnswer<Found>>,
): Promise<ProviderAnswer<Found>> {
  const itemsByKey = new Map<string, Found>();
  for (let page = 1; page <= MOST_PAGES && itemsByKey.size < count; page++) {
    const answer = await readPage(page);
    if (!answer.ok) return page === 1 ? answer : { ok: true, items: [...itemsByKey.values()] };
    const known = itemsByKey.size;
    for (const one of answer.items) if (!itemsByKey.has(keyOf(one))) itemsByKey.set(keyOf(one), one);
    if (itemsByKey.size === known || answer.items.length < FULL_PAGE) break;
  }
  return { ok: true, items: [...itemsByKey.values()] };
}

/** The setting that asks for a page behind the first. */
const pageSetting = (page: number) => (page === 1 ? {} : { pageno: page });

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

function pageOf({ url, title, content, publishedDate }: z.output<typeof pages>['results'][number]): PageHit {
  return {
    url,
    title: plainSnippet(title ?? '') || url,
    snippet: plainSnippet(content ?? ''),
    published_at: isoDate(publishedDate),
  };
}

function imageOf(
  {
    url,
    title,
    content,
    img_src,
    thumbnail_src,
    resolution,
    source,
  }: z.output<typeof images>['results'][number],
  baseUrl: string | undefined,
): ImageHit {
  return {
    image_url: wholeAddress(img_src, baseUrl),
    thumbnail_url: thumbnail_src ? wholeAddress(thumbnail_src, baseUrl) : null,
    source_url: url,
    title: plainSnippet(title ?? ''),
    description: plainSnippet(content ?? '') || null,
    ...sizeOf(resolution),
    publisher: source ?? null,
  };
}

/** A SearXNG server. */
export type Searxng = SearchProvider & HasCircuits & Required<Pick<SearchProvider, 'probe'>>;

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
    angles: ['sentence', 'translation', 'key_words', 'fact_check'],
    search: ({ query, count, language, freshness, safeSearch }, signal) =>
      readPages(
        count,
        ({ url }) => url,
        async (page) => {
          const safesearch = SAFE_SEARCH[safeSearch];
          const parameters = { q: query, format: 'json', categories: 'general', language, safesearch };
          const range = { time_range: freshness ?? undefined };
          const settings = { signal, query: { ...parameters, ...range, ...pageSetting(page) } };
          return answerOf(await client.getJson('/search', pages, settings), ({ results }) =>
            results.map(pageOf),
          );
        },
      ),
    images: ({ query, count, language, safeSearch }, signal) =>
      readPages(
        count,
        ({ image_url: url }) => url,
        async (page) => {
          const safesearch = SAFE_SEARCH[safeSearch];
          const parameters = { q: query, format: 'json', categories: 'images', language, safesearch };
          const settings = { signal, query: { ...parameters, ...pageSetting(page) } };
          return answerOf(await client.getJson('/search', images, settings), ({ results }) =>
            results.map((result) => imageOf(result, baseUrl)),
          );
        },
      ),
    // The configuration is the cheapest thing that it documents: no search engine is parameters for it.
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
