import { z } from 'zod';
import { callerShareSchema } from '../../foundation/caller-share.ts';
import { defineContract } from '../../foundation/contract.ts';
import { bytesAnswer } from '../../foundation/payloads.ts';
import { listForm } from '../../foundation/standard-operations.ts';
import { errors } from './errors.ts';

/** Most messages of a chat, and most parts of one message. */
const MOST_ITEMS = 1000;
/** Most pictures of one request: frames of a video come as two requests of eight. */
export const MOST_PICTURES = 16;
/** Characters of one address: a picture of 25 MiB as base64, and what stands before it. */
const LONGEST_ADDRESS = 35_000_000;
/** The owner of our models in lists. */
export const MODEL_OWNER = 'limpede';

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });
const picturePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({
    url: z
      .string()
      .max(LONGEST_ADDRESS)
      .describe('A data address with base64, or an http(s) address that the outbound guard lets through.'),
  }),
});

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.union([textPart, picturePart])).max(MOST_ITEMS)]).nullish(),
});

const sampling = {
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_tokens: z.int().min(1).max(1_000_000).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop: z.union([z.array(z.string()).max(MOST_ITEMS), z.string()]).nullish(),
};

const chatRequest = z
  .looseObject({
    messages: z.array(message).min(1).max(MOST_ITEMS),
    model: z.string().min(1).max(256).nullish().describe('The first of /v1/models when absent.'),
    ...sampling,
  })
  .meta({ id: 'VisionChatRequest' });

/** A chat with pictures; fields that are not named here reach an upstream server unchanged. */
export type ChatRequest = z.infer<typeof chatRequest>;

const textRequest = z
  .looseObject({
    prompt: z.union([z.string(), z.array(z.unknown())]),
    model: z.string().min(1).max(256).nullish(),
    ...sampling,
  })
  .meta({ id: 'VisionTextRequest' });

/** A text to go on with. */
export type TextRequest = z.infer<typeof textRequest>;

const usage = z.looseObject({
  prompt_tokens: z.number(),
  completion_tokens: z.number().optional(),
  total_tokens: z.number(),
});

/** A finished chat answer, as callers read it out of the bytes. */
export const chatResponse = z.looseObject({
  id: z.string(),
  object: z.string(),
  created: z.number(),
  model: z.string(),
  choices: z
    .array(
      z.looseObject({
        index: z.number(),
        message: z.looseObject({ role: z.string(), content: z.string().nullable() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: usage.nullish().describe('null from the describer, which reads no tokens.'),
});

/** A finished chat answer. */
export type ChatResponse = z.infer<typeof chatResponse>;

const model = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string().describe(`${MODEL_OWNER}: the describer, which measures and answers no questions.`),
    backend: z.string(),
  })
  .meta({ id: 'VisionModel' });

/** A model that looks at pictures. */
export type VisionModel = z.infer<typeof model>;

const answered = bytesAnswer(['application/json', 'text/event-stream']);

const headers = callerShareSchema('a picture is looked at');

/** Largest body: sixteen pictures of a few megabytes each as base64. */
const BODY_BYTES = 64 * 1024 * 1024;

/** Pictures in chats: a vision server of the operator, else our own describer. */
export const vision = defineContract({
  name: 'vision',
  title: 'Vision model server',
  version: '1.0.0',
  description:
    'Chats with pictures in the common convention: by a vision server of the operator where one is set, else by a describer of our own, which tells what can be measured of a picture and says that it is no model.',
  errors,
  health: listForm('backends'),
  models: model,
  operations: {
    chat: {
      method: 'POST',
      path: '/v1/chat/completions',
      summary: 'Answer a chat with pictures, at once or as a stream of events (stream: true)',
      access: 'public',
      headers,
      body: chatRequest,
      answer: answered,
      bodyLimit: BODY_BYTES,
    },
    complete: {
      method: 'POST',
      path: '/v1/completions',
      summary: 'Go on with a text, by a vision server of the operator',
      access: 'public',
      headers,
      body: textRequest,
      answer: answered,
    },
    models: {
      method: 'GET',
      path: '/v1/models',
      summary: 'The models of all backends, those of the operator first',
      access: 'public',
      answer: z.object({ object: z.literal('list'), data: z.array(model) }),
    },
    version: {
      method: 'GET',
      path: '/version',
      summary: 'The version of this server',
      access: 'public',
      answer: z.object({ version: z.string() }),
    },
  },
});
