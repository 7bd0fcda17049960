import { z } from 'zod';
import { defineContract } from '../../foundation/contract.ts';
import { listForm } from '../../foundation/standard-operations.ts';
import { errors } from './errors.ts';

/** The three backends, in the order in which they are asked for a model that several of them list. */
export const BACKENDS = ['gpu', 'cloud', 'cpu'] as const;

/** Neutral names of the backends: provider router, local GPU server, local CPU server. */
export const backendName = z.enum(['cloud', 'gpu', 'cpu']);
export type BackendName = z.infer<typeof backendName>;

/** The two operations that a backend completes. */
export type CompletionOperation = 'chat' | 'complete';

/** Roles of a message; `developer` is taken as system by local backends. */
export const ROLES = ['system', 'user', 'assistant', 'function', 'tool', 'developer'] as const;

/** Most messages of a chat, most parts of one message, and most stop sequences. */
export const MAX_LIST_ITEMS = 1000;

/** One part of a message whose content is a list: text, picture, sound. */
const contentPart = z.looseObject({ type: z.string() });

const messageFields = z.looseObject({
  role: z.enum(ROLES),
  content: z
    .union([z.string(), z.array(contentPart).max(MAX_LIST_ITEMS)])
    .nullish()
    .describe('Null or absent for an assistant alone, absent only beside its calls; not empty for a user.'),
  name: z.string().nullish(),
});

/** The rules about content that depend on the role. */
function checkContent(message: z.infer<typeof messageFields>, context: z.RefinementCtx): void {
  const { role, content, tool_calls: toolCalls, function_call: functionCall } = message;
  const path = ['content'];
  if (content === undefined || content === null) {
    const hasCalls = (toolCalls ?? functionCall ?? null) !== null;
    const allowed = role === 'assistant' && (content === null || hasCalls);
    if (!allowed) context.addIssue({ code: 'invalid_type', expected: 'string', path, input: content });
  } else if (role === 'user' && content.length === 0) {
    const origin = typeof content === 'string' ? 'string' : 'array';
    context.addIssue({ code: 'too_small', origin, minimum: 1, inclusive: true, path, input: content });
  }
}

/** A message of a chat. */
export const message = messageFields
  // Also when another field is wrong: callers see all that is wrong at once.
  .superRefine(checkContent, { when: ({ value }) => typeof value === 'object' && value !== null });

const sampling = {
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish().describe('0.7 when absent.'),
  max_tokens: z.int().min(1).max(1_000_000).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  backend: backendName.nullish().describe('Forces a backend; otherwise the one that lists the model.'),
  stop: z.union([z.array(z.string()).max(MAX_LIST_ITEMS), z.string()]).nullish(),
};

/** A chat request; fields that are not named here reach the backend unchanged. */
export const chatRequest = z
  .looseObject({
    messages: z.array(message).min(1).max(MAX_LIST_ITEMS),
    model: z.string().min(1),
    ...sampling,
    chat_template_kwargs: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'ChatRequest' });

/** A text completion request; fields that are not named here reach the backend unchanged. */
export const textRequest = z
  .looseObject({
    prompt: z.union([z.string(), z.array(z.unknown())]),
    model: z.string().min(1).nullish().describe('The default model when absent.'),
    ...sampling,
  })
  .meta({ id: 'TextRequest' });

const usage = z.looseObject({
  prompt_tokens: z.number(),
  completion_tokens: z.number().optional(),
  total_tokens: z.number(),
});

/** What every finished answer begins with. */
const answerFields = { id: z.string(), object: z.string(), created: z.number(), model: z.string() };

/** A finished chat answer; vendor fields of the backend are kept. */
export const chatResponse = z
  .looseObject({
    ...answerFields,
    choices: z.array(
      z.looseObject({
        index: z.number(),
        message: z.looseObject({ role: z.string(), content: z.unknown() }),
        finish_reason: z.string().nullish(),
      }),
    ),
    usage: usage.nullish(),
    backend: backendName,
  })
  .meta({ id: 'ChatResponse' });
export type ChatResponse = z.infer<typeof chatResponse>;

/** A finished text completion; vendor fields of the backend are kept. */
export const textResponse = z
  .looseObject({
    ...answerFields,
    choices: z.array(
      z.looseObject({ index: z.number(), text: z.string(), finish_reason: z.string().nullish() }),
    ),
    usage: usage.nullish(),
    backend: backendName,
  })
  .meta({ id: 'TextResponse' });

/** A model of a backend. `context_length` is null where the backend does not say. */
export const model = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.number(),
    owned_by: z.string(),
    backend: backendName,
    loaded: z.boolean(),
    context_length: z.number().nullable(),
    capabilities: z.array(z.string()),
  })
  .meta({ id: 'Model' });
export type Model = z.infer<typeof model>;

const modelList = z.object({ object: z.literal('list'), data: z.array(model) });

/** Names the model to load or unload, and where. */
export const loadRequest = z.object({ model: z.string().min(1), backend: z.enum(['gpu', 'cpu']) });

const loadResponse = z.object({
  success: z.boolean(),
  model: z.string(),
  backend: backendName,
  message: z.string(),
});

/** The promise of the text-model gateway. */
export const llm = defineContract({
  name: 'llm',
  title: 'Limpede text-model gateway',
  version: '1.0.0',
  description: [
    'One chat-completion interface over a cloud router, a GPU server and a CPU server.',
    'Every answer carries X-Request-Id: the one of the caller, else a new one.',
    'Completions carry RateLimit-Limit and RateLimit-Remaining, and X-Limpede-Fallbacks: how many targets of the fallback',
    'chain failed, or were passed over as failing, before the one that answered; a stream that a comment had to keep open',
    'before its first event tells the number of that moment.',
    'X-Limpede-Cache: hit marks an answer from memory; Cache-Control: no-cache in the request asks for a new one.',
  ].join(' '),
  errors,
  health: listForm('backends'),
  models: model,
  operations: {
    chat: {
      method: 'POST',
      path: '/v1/chat/completions',
      summary: 'Completes a chat, at once or as a stream of events.',
      access: 'bearer',
      body: chatRequest,
      answer: chatResponse,
      raw: true,
    },
    complete: {
      method: 'POST',
      path: '/v1/completions',
      summary: 'Completes a text.',
      access: 'bearer',
      body: textRequest,
      answer: textResponse,
      raw: true,
    },
    models: {
      method: 'GET',
      path: '/v1/models',
      summary: 'Lists the models of all backends, or of one.',
      access: 'bearer',
      query: z.object({ backend: backendName.optional() }),
      answer: modelList,
    },
    load: {
      method: 'POST',
      path: '/v1/models/load',
      summary: 'Loads a model into the memory of a local backend.',
      access: 'bearer',
      body: loadRequest,
      answer: loadResponse,
    },
    unload: {
      method: 'POST',
      path: '/v1/models/unload',
      summary: 'Gives back the memory of a model of a local backend.',
      access: 'bearer',
      body: loadRequest,
      answer: loadResponse,
    },
    backends: {
      method: 'GET',
      path: '/v1/backends',
      summary: 'Names the backends that can be used; why another cannot is told by /health.',
      access: 'bearer',
      answer: z.object({ backends: z.array(backendName) }),
    },
  },
});
