import { z } from 'zod';
import { callerShareSchema } from '../../foundation/caller-share.ts';
import { defineContract } from '../../foundation/contract.ts';
import { listForm } from '../../foundation/standard-operations.ts';
import { evidenceIndexOperations } from './contract/evidence-index.ts';
import { evidenceItem, gatherAnswer, gatherRequest, type gatherStage } from './contract/gather.ts';
import {
  imageSearchAnswer,
  imageSearchRequest,
  searchAnswer,
  searchRequest,
  tierHeaders,
} from './contract/search.ts';
import { errors } from './errors.ts';

/** Ways to get a page, in the order in which they are tried. */
export const FETCH_METHODS = ['http', 'browse', 'vision'] as const;

/** One way to get a page. */
export type FetchMethod = (typeof FETCH_METHODS)[number];

/** Why an attempt, or a whole page, failed. */
export const FETCH_ERRORS = [
  'url_not_allowed',
  'dns_failed',
  'connection_failed',
  'tls_failed',
  'timeout',
  'too_large',
  'unsupported_type',
  'decoding_failed',
  'too_many_redirects',
  'invalid_answer',
  'rate_limited',
  'aborted',
  'http_status',
  'bot_wall',
  'consent_wall',
  'soft_not_found',
  'needs_javascript',
  'text_too_short',
  'extraction_failed',
  'robots_disallowed',
  'paywalled',
  'busy',
  'unavailable',
] as const;

const fetchError = z.enum(FETCH_ERRORS);

/** Code of a failed attempt or page. */
export type FetchErrorCode = z.infer<typeof fetchError>;

const attempt = z
  .object({
    method: z.enum(FETCH_METHODS),
    success: z.boolean(),
    error: fetchError.nullable(),
    message: z.string().nullable(),
    status_code: z.int().nullable(),
    duration_ms: z.number(),
  })
  .meta({ id: 'FetchAttempt', description: 'One attempt to get a page.' });

/** One attempt to get a page. */
export type FetchAttempt = z.infer<typeof attempt>;

const metadata = z
  .object({
    title: z.string().nullable(),
    publisher: z.string().nullable(),
    author: z.string().nullable().describe('Names, separated by a comma and a space.'),
    published_at: z.string().nullable().describe('ISO 8601 date, or date and time when the page gives it.'),
    published_at_source: z
      .enum(['url', 'meta', 'json_ld', 'time_element', 'markup', 'text'])
      .nullable()
      .describe('Where the date was found.'),
    modified_at: z.string().nullable(),
    language: z.string().nullable().describe('ISO 639-1, as the page declares it.'),
    canonical_url: z.string().nullable(),
    site_name: z.string().nullable(),
    description: z.string().nullable(),
    images: z.array(
      z.object({ url: z.string(), alt: z.string().nullable(), source: z.enum(['og', 'json_ld', 'article']) }),
    ),
    flags: z.object({
      paywalled: z.boolean(),
      satire: z.boolean(),
      sponsored: z.boolean(),
      fact_check: z.boolean(),
    }),
    ai_disclosures: z.array(
      z.object({ where: z.enum(['json_ld', 'meta']), property: z.string(), value: z.string() }),
    ),
    claim_reviews: z
      .array(
        z.object({
          claim: z.string(),
          claimant: z.string().nullable(),
          rating: z.string().nullable().describe('As the reviewer words it.'),
          reviewer: z.string().nullable(),
          url: z.string().nullable(),
          published_at: z.string().nullable(),
        }),
      )
      .describe('Fact-checks that the page declares (schema.org ClaimReview).'),
    text_source: z
      .enum(['article', 'page', 'plain_text', 'pdf', 'none'])
      .describe(
        '`article`: the main story; `page`: everything but navigation, when there is no single story.',
      ),
    encoding: z.string(),
  })
  .meta({ id: 'PageMetadata', description: 'What the page says of itself.' });

const page = z
  .object({
    url: z.string().describe('The address as it was asked for.'),
    final_url: z.string().describe('The address that answered, after redirects.'),
    title: z.string().nullable(),
    text: z.string().nullable().describe('One line for each block; null when no text was asked for.'),
    text_length: z
      .int()
      .nullable()
      .describe('UTF-16 units of the whole text; more than those of `text` when that is cut.'),
    text_hash: z
      .string()
      .nullable()
      .describe('SHA-256 of the whole text with white space squashed, in hexadecimal.'),
    html: z.string().nullable().describe('Decoded source; null unless include_html.'),
    extraction_method: z.enum(FETCH_METHODS),
    fallback_chain: z.array(attempt),
    retrieved_at: z.iso.datetime(),
    extraction_time_ms: z.number(),
    status_code: z.int(),
    content_type: z.string().nullable(),
    metadata: metadata.nullable().describe('Null when no metadata was asked for.'),
  })
  .meta({ id: 'FetchedPage', description: 'A fetched page.' });

/** A fetched page. */
export type FetchedPage = z.infer<typeof page>;

const failedPage = z
  .object({
    url: z.string(),
    error: fetchError,
    message: z.string(),
    status_code: z.int().nullable(),
    fallback_chain: z.array(attempt),
  })
  .meta({ id: 'FailedPage', description: 'An address that gave no page.' });

/** An address that gave no page. */
export type FailedPage = z.infer<typeof failedPage>;

/** Longest text of one page, in UTF-16 units: that of a book of a thousand pages. */
export const LONGEST_TEXT = 3_000_000;

const fetchRequest = z
  .object({
    urls: z.array(z.string()).min(1).max(50),
    extract_text: z.boolean().default(true),
    include_html: z.boolean().default(false),
    extract_metadata: z.boolean().default(true),
    auto_fallback: z.boolean().default(true),
    method: z.enum(['auto', ...FETCH_METHODS]).default('auto'),
    timeout_seconds: z.number().min(1).max(120).default(30).describe('For each address.'),
    min_text_length: z.int().min(0).default(200).describe('Shorter text leads on to the next method.'),
    parallel_fetches: z.int().min(1).max(20).default(5),
    max_text_length: z
      .int()
      .min(1)
      .max(LONGEST_TEXT)
      .default(LONGEST_TEXT)
      .describe('UTF-16 units of text that are answered for one page; what is beyond them is cut.'),
  })
  .meta({ id: 'FetchRequest' });

/** A checked fetch request. */
export type FetchRequest = z.output<typeof fetchRequest>;

const fetchAnswer = z
  .object({
    request_id: z.uuid(),
    pages: z.array(page),
    total_fetched: z.int(),
    total_failed: z.int(),
    execution_time_ms: z.number(),
    failed_urls: z.array(failedPage),
  })
  .meta({ id: 'FetchAnswer' });

/** The answer to a fetch request. */
export type FetchAnswer = z.infer<typeof fetchAnswer>;

const shareHeaders = callerShareSchema('the web is asked');
const gathering = gatherRequest(z.enum(['auto', ...FETCH_METHODS]).default('auto'));
const evidence = evidenceItem(attempt);

/** A checked request to gather evidence. */
export type GatherRequest = z.output<typeof gathering>;
/** A piece of evidence. */
export type EvidenceItem = z.infer<typeof evidence>;
/** How a stage of gathering went. */
export type GatherStage = z.infer<typeof gatherStage>;

/** The web service. */
export const web = defineContract({
  name: 'web',
  title: 'Web evidence',
  version: '1.0.0',
  description:
    'Gathers evidence for a claim: searches the web and a local index, fetches pages through a guard, extracts their text and what they say of themselves.',
  errors,
  health: listForm('providers'),
  operations: {
    ...evidenceIndexOperations,
    gather: {
      method: 'POST',
      path: '/v1/gather',
      summary: 'Gather evidence for a claim: search, fetch, choose',
      access: 'bearer',
      headers: shareHeaders.extend(tierHeaders.shape),
      body: gathering,
      answer: gatherAnswer(evidence),
    },
    search: {
      method: 'POST',
      path: '/v1/search',
      summary: 'Search the local index and the web',
      access: 'bearer',
      headers: shareHeaders.extend(tierHeaders.shape),
      body: searchRequest,
      answer: searchAnswer,
    },
    imageSearch: {
      method: 'POST',
      path: '/v1/image-search',
      summary: 'Search for pictures',
      access: 'bearer',
      headers: shareHeaders.extend(tierHeaders.shape),
      body: imageSearchRequest,
      answer: imageSearchAnswer,
    },
    fetch: {
      method: 'POST',
      path: '/v1/fetch',
      summary: 'Fetch pages and extract their text',
      access: 'bearer',
      headers: shareHeaders,
      body: fetchRequest,
      answer: fetchAnswer,
    },
  },
});
