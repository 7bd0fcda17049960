import { z } from 'zod';

/** Most sites of one list. */
const MOST_SITES = 100;
const LONGEST_QUERY = 500;

/** A list of sites. */
export const sites = z
  .array(z.string().trim().min(1).max(253))
  .max(MOST_SITES)
  .default([])
  .describe('Host names; each covers the names below it.');

const queries = z.array(z.string().trim().min(1).max(LONGEST_QUERY)).min(1).max(10);
const country = z
  .string()
  .regex(/^[A-Z]{2}$/)
  .default('US')
  .describe('ISO 3166-1.');
const language = (fallback: string) =>
  z
    .string()
    .regex(/^(auto|[a-z]{2})$/)
    .default(fallback);

/** The header that chooses providers. */
export const tierHeaders = z.object({
  'x-search-tier': z.enum(['free', 'premium']).optional().describe('premium: the providers with a key.'),
});

/** The body of a search. */
export const searchRequest = z
  .object({
    queries,
    max_results: z.int().min(1).max(100).default(10).describe('For each query.'),
    site_allowlist: sites,
    site_blocklist: sites,
    language: language('auto').describe('ISO 639-1, or auto.'),
    country,
    freshness: z.enum(['day', 'week', 'month', 'year']).nullable().default(null),
    safe_search: z.enum(['off', 'moderate', 'strict']).default('moderate'),
  })
  .meta({ id: 'SearchRequest' });

/** A checked search. */
export type SearchRequest = z.output<typeof searchRequest>;

/** The body of an image search. */
export const imageSearchRequest = z
  .object({
    queries,
    max_results: z.int().min(1).max(200).default(50).describe('For each query.'),
    language: language('en'),
    country,
    safe_search: z.enum(['off', 'strict']).default('strict'),
    spellcheck: z.boolean().default(true),
  })
  .meta({ id: 'ImageSearchRequest' });

/** A checked image search. */
export type ImageSearchRequest = z.output<typeof imageSearchRequest>;

const searchResult = z
  .object({
    query: z.string(),
    url: z.string(),
    title: z.string(),
    snippet: z.string(),
    rank: z.int().describe('From 1, among the results of its query.'),
    site: z.string(),
    published_at: z.string().nullable(),
    providers: z.array(z.string()).describe('Who found it.'),
  })
  .meta({ id: 'SearchResult' });

/** One result. */
export type SearchResult = z.infer<typeof searchResult>;

const imageResult = z
  .object({
    query: z.string(),
    image_url: z.string(),
    thumbnail_url: z.string().nullable(),
    source_url: z.string().nullable(),
    title: z.string(),
    description: z.string().nullable(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    publisher: z.string().nullable(),
    rank: z.int(),
  })
  .meta({ id: 'ImageResult' });

/** One picture. */
export type ImageResult = z.infer<typeof imageResult>;

const providerReport = z
  .object({
    name: z.string(),
    success: z.boolean(),
    results: z.int(),
    error: z.string().nullable().describe('`suspended` when it is left alone after errors.'),
  })
  .meta({ id: 'SearchProviderReport' });

/** What a provider gave. */
export type ProviderReport = z.infer<typeof providerReport>;

const facts = {
  request_id: z.uuid(),
  total_results: z.int(),
  execution_time_ms: z.number(),
  queries_processed: z.int(),
  providers: z.array(providerReport),
};

/** The answer to a search. */
export const searchAnswer = z
  .object({ ...facts, results: z.array(searchResult) })
  .meta({ id: 'SearchAnswer' });

/** The answer to an image search. */
export const imageSearchAnswer = z
  .object({ ...facts, results: z.array(imageResult) })
  .meta({ id: 'ImageSearchAnswer' });
