import { z } from 'zod';
import { localizedText } from '../../../foundation/localized-text.ts';
import { RATINGS, REVIEW_STANCES } from './evidence-index.ts';
import { sites } from './search.ts';

/** Longest text of a judged page that is compared with what is found. */
const LONGEST_JUDGED = 100_000;
const MOST_QUERIES = 10;

/** What a source does to the claim. */
export const STANCES = ['supports', 'refutes', 'neutral'] as const;

/** The body of a request to gather evidence; `methods` are the ways to get a page. */
export const gatherRequest = <Method extends z.ZodType>(methods: Method) =>
  z
    .object({
      claim: z.string().trim().min(10).max(1000),
      search_queries: z
        .array(z.string().trim().min(1).max(500))
        .max(MOST_QUERIES)
        .nullish()
        .describe('Unset or empty: made from the claim, in its own language and in English.'),
      max_search_results: z.int().min(5).max(50).default(10),
      site_allowlist: sites,
      site_blocklist: sites,
      fetch_method: methods,
      auto_fallback: z.boolean().default(true),
      extract_snippets: z.boolean().default(false).describe('Without effect: snippets are always chosen.'),
      max_evidence_items: z.int().min(1).max(50).default(15),
      dedupe: z.boolean().default(true),
      parallel_fetches: z.int().min(1).max(10).default(5),
      timeout_seconds: z
        .number()
        .min(10)
        .max(300)
        .default(90)
        .describe('For the whole; what there is by then is answered.'),
      judged_url: z
        .string()
        .max(8192)
        .nullish()
        .describe('The page that is being judged: no evidence for itself.'),
      judged_text: z
        .string()
        .max(LONGEST_JUDGED)
        .nullish()
        .describe('Its text: mirrors of it are no evidence either.'),
    })
    .meta({ id: 'GatherRequest' });

/** How a stage went. */
export const gatherStage = z.object({
  stage: z
    .enum(['search', 'fetch', 'rerank', 'evidence'])
    .describe('`rerank` where a reranking service is asked; without its word the order is our own.'),
  success: z.boolean(),
  items_processed: z.int(),
  items_failed: z.int(),
  duration_ms: z.int(),
});

const factCheck = z.object({
  claim: z.string().describe('The reviewed claim, in the wording nearest to what was asked.'),
  wordings: z
    .array(z.string())
    .default([])
    .describe('Every wording of it that is stored, in every language.'),
  claim_key: z.string(),
  similarity: z
    .number()
    .nullable()
    .describe('Cosine of both claims. It finds the topic: negation and numbers hardly move it.'),
  rating: z.enum(RATINGS).nullable(),
  rating_text: z.string().nullable(),
  stance: z.enum(REVIEW_STANCES).describe('Of this source towards the reviewed claim.'),
  decides: z.boolean().describe('Two independent sources say what the rating says.'),
  finding: localizedText.nullable(),
});

/** A piece of evidence; `attempt` is one try to get a page. */
export const evidenceItem = <Attempt extends z.ZodType>(attempt: Attempt) =>
  z
    .object({
      url: z.string(),
      title: z.string(),
      publisher: z.string().nullable(),
      snippet: z.string().describe('A passage that bears on the claim, verbatim.'),
      relevance_score: z.number().min(0).max(1),
      credibility_score: z
        .number()
        .min(0)
        .max(1)
        .nullable()
        .describe('trust_score of the domain check by 100; null: nobody has rated or listed the source.'),
      published_at: z.string().nullable(),
      retrieved_at: z.iso.datetime(),
      full_text_hash: z
        .string()
        .describe('SHA-256 of the text in which the snippet stands, white space squashed.'),
      language: z.string().nullable(),
      stance: z.enum(STANCES).nullable().describe('Towards the claim; null while nothing judges it.'),
      passages: z.array(z.object({ text: z.string(), relevance_score: z.number() })),
      copies: z.array(z.object({ url: z.string(), title: z.string(), publisher: z.string().nullable() })),
      fact_check: factCheck.nullable(),
      provenance: z.object({
        extraction_method: z.string().describe('http, browse, vision, or index for a stored document.'),
        fallback_chain: z.array(attempt),
        providers: z.array(z.string()),
        query: z.string(),
        origin: z.string().nullable().describe('The import that a stored document came with.'),
      }),
    })
    .meta({ id: 'EvidenceItem' });

/** The answer to a request to gather evidence. */
export const gatherAnswer = <Item extends z.ZodType>(item: Item) =>
  z
    .object({
      request_id: z.uuid(),
      claim: z.string(),
      queries: z.array(z.string()),
      evidence: z.array(item),
      evidence_stats: z.object({
        input_items: z.int(),
        after_dedup: z.int(),
        output_items: z.int(),
        duplicates_removed: z.int(),
        tokens_used: z.int(),
      }),
      stages: z.array(gatherStage),
      total_urls_found: z.int(),
      total_pages_fetched: z.int(),
      total_evidence_items: z.int(),
      execution_time_ms: z.int(),
    })
    .meta({ id: 'GatherAnswer' });
