import { z } from 'zod';
import { callerShareSchema } from '../../foundation/caller-share.ts';
import { defineContract } from '../../foundation/contract.ts';
import {
  backendsOperation,
  modelFields,
  modelsOperation,
} from '../../foundation/model-service/operations.ts';
import { listForm } from '../../foundation/standard-operations.ts';
import { errors } from './errors.ts';

/** Most documents of one request. */
const MOST_DOCUMENTS = 1000;
/** Longest query in UTF-16 units: some pages. */
const LONGEST_QUERY = 10_000;
/** Longest text of a document in UTF-16 units. */
export const LONGEST_TEXT = 100_000;
/** Most passages of all documents together. */
export const MOST_PASSAGES = 10_000;
/** Passages of a document that are read where the request does not say: some pages. */
export const DEFAULT_PASSAGES = 32;

const text = z.string().max(LONGEST_TEXT);
const document = z.union([text, z.record(z.string().max(256), z.unknown())]);

const rerankRequest = z
  .object({
    model: z.string().min(1).max(256).nullish().describe('The first of /v1/models when absent.'),
    query: z.string().max(LONGEST_QUERY).regex(/\S/, { error: 'there is no text in it' }),
    documents: z
      .array(document)
      .min(1)
      .max(MOST_DOCUMENTS)
      .describe('Texts, or objects whose field text (or the fields of rank_fields) is read.'),
    top_n: z.int().min(1).nullish().describe('So many of the best; all when absent.'),
    return_documents: z
      .boolean()
      .nullish()
      .describe('Whether results carry their documents; false when absent.'),
    max_chunks_per_doc: z
      .int()
      .min(1)
      .max(MOST_PASSAGES)
      .nullish()
      .describe(
        `Passages of a document that are read, from its beginning; ${DEFAULT_PASSAGES} when absent, or less for many documents.`,
      ),
    rank_fields: z
      .array(z.string().min(1).max(256))
      .min(1)
      .max(32)
      .nullish()
      .describe('Fields of documents that are objects, read in this order; text when absent.'),
  })
  .refine(
    ({ documents, max_chunks_per_doc: passages }) => documents.length * (passages ?? 1) <= MOST_PASSAGES,
    { path: ['max_chunks_per_doc'], error: `documents times passages are at most ${MOST_PASSAGES}` },
  )
  .meta({ id: 'RerankRequest' });

/** A query with the documents to rank by it. */
export type RerankRequest = z.infer<typeof rerankRequest>;

const rerankResult = z.object({
  index: z.int().min(0).describe('Place of the document in the request.'),
  relevance_score: z.number().min(0).max(1),
  document: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The document as it was sent; a text as the field text.'),
});

/** A document with its relevance. */
export type RerankResult = z.infer<typeof rerankResult>;

const rerankResponse = z
  .object({
    id: z.uuid(),
    model: z.string(),
    results: z
      .array(rerankResult)
      .describe('The most relevant first; equal ones in the order of the request.'),
    meta: z.object({
      api_version: z.object({ version: z.enum(['1', '2']) }),
      billed_units: z.object({ search_units: z.int().min(0) }),
      tokens: z.object({ input_tokens: z.int().min(0) }),
    }),
    usage: z.object({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) }),
  })
  .meta({ id: 'RerankResponse' });

/** Documents by their relevance. */
export type RerankResponse = z.infer<typeof rerankResponse>;

const rerankModel = z
  .object({
    ...modelFields,
  })
  .meta({ id: 'RerankModel' });

/** A model that ranks. */
export type RerankModel = z.infer<typeof rerankModel>;

const rerank = {
  method: 'POST',
  summary: 'Documents by their relevance for a query',
  access: 'bearer',
  headers: callerShareSchema('documents are ranked'),
  body: rerankRequest,
  answer: rerankResponse,
} as const;

/** Documents by their relevance for a query. */
export const reranking = defineContract({
  name: 'reranking',
  title: 'Reranking',
  version: '1.0.0',
  description:
    'Documents by their relevance for a query, in the conventions of Cohere and Jina: a packaged ranker for English and Romanian, which needs nothing, or a server of your own.',
  errors,
  health: listForm('backends'),
  models: rerankModel,
  operations: {
    rerank: { ...rerank, path: '/v1/rerank' },
    rerankV2: { ...rerank, path: '/v2/rerank' },
    models: modelsOperation(rerankModel),
    backends: backendsOperation,
  },
});
