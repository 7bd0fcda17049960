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

/** Most inputs of one request. */
const MOST_INPUTS = 2048;
/** Longest text in UTF-16 units. */
const LONGEST_TEXT = 100_000;
/** Most tokens of one input that comes as tokens. */
const MOST_TOKENS = 8192;

const text = z.string().max(LONGEST_TEXT).regex(/\S/, { error: 'there is no text in it' });
const tokens = z.array(z.int().min(0)).min(1).max(MOST_TOKENS);

const embeddingsRequest = z
  .object({
    input: z
      .union([text, tokens, z.array(text).min(1).max(MOST_INPUTS), z.array(tokens).min(1).max(MOST_INPUTS)])
      .describe('A text, a list of texts, the tokens of a text (ids of the model), or a list of those.'),
    model: z.string().min(1).max(256),
    encoding_format: z.enum(['float', 'base64']).nullish().describe('base64: little-endian 32-bit floats.'),
    dimensions: z
      .int()
      .min(1)
      .nullish()
      .describe("1 to the model's own: so many leading numbers, scaled to length 1 again."),
    user: z.string().max(1024).nullish(),
    language: z
      .enum(['en', 'ro'])
      .nullish()
      .describe('Language of the texts; found out for each when absent. Only for models of our own.'),
  })
  .meta({ id: 'EmbeddingsRequest' });

/** A request for vectors. */
export type EmbeddingsRequest = z.infer<typeof embeddingsRequest>;

const embedding = z.object({
  object: z.literal('embedding'),
  index: z.int().min(0),
  embedding: z.union([z.array(z.number()), z.string()]),
});

const embeddingsResponse = z
  .object({
    object: z.literal('list'),
    data: z.array(embedding),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) }),
  })
  .meta({ id: 'EmbeddingsResponse' });

const embeddingModel = z
  .object({
    ...modelFields,
    dimensions: z.int().nullable(),
  })
  .meta({ id: 'EmbeddingModel' });

/** A model that makes vectors. */
export type EmbeddingModel = z.infer<typeof embeddingModel>;

/** Vectors of texts. */
export const embeddings = defineContract({
  name: 'embeddings',
  title: 'Embeddings',
  version: '1.0.0',
  description:
    'Vectors of texts in the common convention: a packaged encoder for English and Romanian, which needs nothing, or a server of your own.',
  errors,
  health: listForm('backends'),
  models: embeddingModel,
  operations: {
    embed: {
      method: 'POST',
      path: '/v1/embeddings',
      summary: 'Vectors of texts',
      access: 'bearer',
      headers: callerShareSchema('texts are turned into vectors'),
      body: embeddingsRequest,
      answer: embeddingsResponse,
    },
    models: modelsOperation(embeddingModel),
    backends: backendsOperation,
  },
});
