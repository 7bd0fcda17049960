import { z } from 'zod';
import { defineContract } from '../../foundation/contract.ts';
import { type FailureMaker, failures } from '../../foundation/errors.ts';

/** The three backends, in the order in which they are asked for a model that several of them list. */
export const BACKENDS = ['gpu', 'cloud', 'cpu'] as const;

/** Neutral names of the backends: provider router, local GPU server, local CPU server. */
export const BackendName = z.enum(['cloud', 'gpu', 'cpu']);
export type BackendName = z.infer<typeof BackendName>;

/** Roles of a message; `developer` is taken as system by local backends. */
export const ROLES = ['system', 'user', 'assistant', 'function', 'tool', 'developer'] as const;

/** Statuses that a repeated request would meet again: clients of the OpenAI family are told not to retry. */
const FINAL_STATUSES = new Set([400, 401, 404, 413, 422, 501]);

/** Gives every failure of a table the headers that its status calls for. */
function withHeaders<Table extends Readonly<Record<string, FailureMaker>>>(table: Table): Table {
  const entries = Object.entries(table).map(([code, make]): [string, FailureMaker] => {
    const { status } = make();
    const headers = {
      ...(FINAL_STATUSES.has(status) && { 'x-should-retry': 'false' }),
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    };
    return [code, (options) => make({ ...options, headers: { ...headers, ...options?.headers } })];
  });
  return Object.fromEntries(entries) as unknown as Table;
}

const table = failures({
  validation_failed: [422, 'The request is not valid.'],
  invalid_json: [422, 'The body is not valid JSON.'],
  payload_too_large: [413, 'The body is too large.'],
  not_found: [404, 'There is no such operation.'],
  invalid_parameter: [400, 'A parameter of the request was refused.'],
  backend_unavailable: [400, 'The backend is not available.'],
  authentication_required: [401, 'A valid bearer token is required.'],
  rate_limited: [429, 'The rate limit is exceeded.'],
  upstream_rate_limited: [429, 'The backend limits the rate of requests.'],
  completion_failed: [500, 'The backend failed to complete the request.'],
  internal_error: [500, 'An internal error occurred.'],
  not_supported: [501, 'The backend does not offer this operation.'],
  concurrency_limited: [503, 'Too many completions run at the same time.'],
  backend_open: [503, 'The backend failed repeatedly and is given time to recover.'],
  shutting_down: [503, 'The service is shutting down.'],
});

/** Everything that this service may answer besides success. */
export const errors = withHeaders(table);

/** One part of a message whose content is a list: text, picture, sound. */
const ContentPart = z.looseObject({ type: z.string() });

const Message = z.looseObject({
  role: z.enum(ROLES),
  content: z.union([z.string(), z.array(ContentPart)]).nullish(),
  name: z.string().nullish(),
});

const sampling = {
  temperature: z.number().min(0).max(2).nullish().describe('0.7 when absent.'),
  max_tokens: z.int().min(1).max(1_000_000).nullish(),
  backend: BackendName.nullish().describe('Forces a backend; otherwise the one that lists the model.'),
  top_p: z.number().min(0).max(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
};

/** A chat request; fields that are not named here reach the backend unchanged. */
export const ChatRequest = z
  .looseObject({
    messages: z.array(Message).min(1).max(1000),
    model: z.string(),
    stream: z.boolean().nullish(),
    chat_template_kwargs: z.record(z.string(), z.unknown()).nullish(),
    ...sampling,
  })
  .meta({ id: 'ChatRequest' });

/** A text completion request; fields that are not named here reach the backend unchanged. */
export const TextRequest = z
  .looseObject({
    prompt: z.union([z.string(), z.array(z.unknown())]),
    model: z.string().nullish().describe('The default model when absent.'),
    ...sampling,
  })
  .meta({ id: 'TextRequest' });

const Usage = z.looseObject({
  prompt_tokens: z.number(),
  completion_tokens: z.number().optional(),
  total_tokens: z.number(),
});

/** A finished chat answer; vendor fields of the backend are kept. */
export const ChatResponse = z
  .looseObject({
    id: z.string(),
    object: z.string(),
    created: z.number(),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.number(),
        message: z.looseObject({ role: z.string(), content: z.unknown() }),
        finish_reason: z.string().nullish(),
      }),
    ),
    usage: Usage.nullish(),
    backend: BackendName,
  })
  .meta({ id: 'ChatResponse' });

/** A finished text completion; vendor fields of the backend are kept. */
export const TextResponse = z
  .looseObject({
    id: z.string(),
    object: z.string(),
    created: z.number(),
    model: z.string(),
    choices: z.array(
      z.looseObject({ index: z.number(), text: z.string(), finish_reason: z.string().nullish() }),
    ),
    usage: Usage.nullish(),
    backend: BackendName,
  })
  .meta({ id: 'TextResponse' });

/** A model of a backend. `context_length` is null where the backend does not tell. */
export const Model = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.number(),
    owned_by: z.string(),
    backend: BackendName,
    loaded: z.boolean(),
    context_length: z.number().nullable(),
    capabilities: z.array(z.string()),
  })
  .meta({ id: 'Model' });
export type Model = z.infer<typeof Model>;

const ModelList = z.object({ object: z.literal('list'), data: z.array(Model) });

/** Names the model to load or unload, and where. */
export const LoadRequest = z.object({ model: z.string().min(1), backend: z.enum(['gpu', 'cpu']) });

const LoadResponse = z.object({
  success: z.boolean(),
  model: z.string(),
  backend: BackendName,
  message: z.string(),
});

const Health = z.object({
  status: z.enum(['healthy', 'degraded', 'unhealthy']),
  backends: z.array(z.object({ name: BackendName, healthy: z.boolean(), message: z.string().nullable() })),
});

const Ready = z.object({ ready: z.boolean() });

const Info = z.object({
  resource: z.object({ name: z.string(), title: z.string(), version: z.string(), description: z.string() }),
  models: z.array(Model),
  functions: z.array(
    z.object({ name: z.string(), method: z.string(), path: z.string(), description: z.string() }),
  ),
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
  operations: {
    chat: {
      method: 'POST',
      path: '/v1/chat/completions',
      summary: 'Completes a chat, at once or as a stream of events.',
      access: 'bearer',
      body: ChatRequest,
      answer: ChatResponse,
      raw: true,
    },
    complete: {
      method: 'POST',
      path: '/v1/completions',
      summary: 'Completes a text.',
      access: 'bearer',
      body: TextRequest,
      answer: TextResponse,
      raw: true,
    },
    models: {
      method: 'GET',
      path: '/v1/models',
      summary: 'Lists the models of all backends, or of one.',
      access: 'bearer',
      query: z.object({ backend: BackendName.optional() }),
      answer: ModelList,
    },
    load: {
      method: 'POST',
      path: '/v1/models/load',
      summary: 'Loads a model into the memory of a local backend.',
      access: 'bearer',
      body: LoadRequest,
      answer: LoadResponse,
    },
    unload: {
      method: 'POST',
      path: '/v1/models/unload',
      summary: 'Gives back the memory of a model of a local backend.',
      access: 'bearer',
      body: LoadRequest,
      answer: LoadResponse,
    },
    backends: {
      method: 'GET',
      path: '/v1/backends',
      summary: 'Names the backends that can be used; why another cannot is told by /health.',
      access: 'bearer',
      answer: z.object({ backends: z.array(BackendName) }),
    },
    info: {
      method: 'GET',
      path: '/v1/info',
      summary: 'Describes the service for the catalogue.',
      access: 'public',
      answer: Info,
    },
    health: {
      method: 'GET',
      path: '/health',
      summary: 'Tells which backends work.',
      access: 'public',
      answer: Health,
    },
    ready: {
      method: 'GET',
      path: '/ready',
      summary: 'Tells whether the default backend works.',
      access: 'public',
      answer: Ready,
      answers: { 503: Ready },
    },
  },
});
