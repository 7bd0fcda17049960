import { z } from 'zod';
import type { HasCircuits } from '../../foundation/breaker.ts';
import { callerShareHeaders } from '../../foundation/caller-share.ts';
import type { Probeable } from '../../foundation/health.ts';
import { createVendorClient, type VendorClient, type VendorLoss } from '../../foundation/vendor-client.ts';

/** Where a chat server is. */
export interface ChatOptions {
  readonly name: string;
  readonly url: string;
  readonly token: string | undefined;
  /** Unset: the first that it lists. */
  readonly model: string | undefined;
  /** For one answer; asked at each call. */
  readonly timeoutMs: () => number;
}

/** A part of a question: words, or a picture as JPEG. */
export type QuestionPart = { readonly text: string } | { readonly jpeg: Buffer };

/** What a model is asked. */
export interface Question {
  readonly instruction: string;
  readonly parts: readonly QuestionPart[];
  /** JSON Schema of the answer; plain text when absent. */
  readonly answerFormat?: { readonly name: string; readonly schema: object };
  readonly mostTokens: number;
}

/** Tokens as a server counts them. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** The answer of a model; untrusted. */
export interface ChatReply {
  readonly ok: true;
  readonly model: string;
  readonly text: string;
  readonly usage: Usage;
}

/** A server with the chat completion API of OpenAI. */
export interface ChatServer extends Probeable, HasCircuits {
  /** Never throws for anything outside this process. */
  ask(question: Question, signal: AbortSignal): Promise<ChatReply | VendorLoss>;
  /** The same chat for one user: our own servers share their queues fairly between users. */
  forCaller(share: string): ChatServer;
  /** The name of the model that answers. */
  model(signal: AbortSignal): Promise<{ readonly ok: true; readonly model: string } | VendorLoss>;
  close(): Promise<void>;
}

const ANSWER_BYTES = 1024 * 1024;
const LIST_MS = 2_000;
/** Characters of an answer that are kept. */
const LONGEST_ANSWER = 8_000;

const amount = z.int().min(0).catch(0).default(0);
const noUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const completion = z.object({
  model: z.string().optional(),
  choices: z.array(z.object({ message: z.object({ content: z.string().nullable() }) })).min(1),
  usage: z
    .object({ prompt_tokens: amount, completion_tokens: amount, total_tokens: amount })
    .nullish()
    .catch(null),
});
const models = z.object({ data: z.array(z.object({ id: z.string() })) });

const contentOf = (parts: readonly QuestionPart[]) =>
  parts.map((part) =>
    'text' in part
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${part.jpeg.toString('base64')}` } },
  );

/** The token counts of several answers together. */
export function sumUsage(all: readonly Usage[]): Usage {
  return all.reduce<Usage>(
    (sum, one) => ({
      prompt_tokens: sum.prompt_tokens + one.prompt_tokens,
      completion_tokens: sum.completion_tokens + one.completion_tokens,
      total_tokens: sum.total_tokens + one.total_tokens,
    }),
    noUsage,
  );
}

/** The failure of a server that lists no models. */
const noModel = (name: string): VendorLoss => ({
  ok: false,
  vendor: name,
  reason: 'unavailable',
  message: `${name}: has no model`,
  status: undefined,
  retryAfterMs: undefined,
  sent: true,
});

/** Asks a server, on behalf of a user where one is named. */
function chatOver(client: VendorClient, options: ChatOptions, share?: string): ChatServer {
  const { name } = options;
  const headers = callerShareHeaders(share);
  const list = (signal: AbortSignal) => client.getJson('/v1/models', models, { signal, timeoutMs: LIST_MS });
  const model: ChatServer['model'] = async (signal) => {
    if (options.model !== undefined) return { ok: true, model: options.model };
    const listed = await list(signal);
    if (!listed.ok) return listed;
    const [first] = listed.value.data;
    return first === undefined ? noModel(name) : { ok: true, model: first.id };
  };
  return {
    model,
    forCaller: (user) => chatOver(client, options, user),
    ask: async ({ instruction, parts, answerFormat, mostTokens }, signal) => {
      const chosen = await model(signal);
      if (!chosen.ok) return chosen;
      const body = {
        model: chosen.model,
        temperature: 0,
        max_tokens: mostTokens,
        messages: [
          { role: 'system', content: instruction },
          { role: 'user', content: contentOf(parts) },
        ],
        ...(answerFormat !== undefined && {
          response_format: { type: 'json_schema', json_schema: { ...answerFormat, strict: true } },
        }),
      };
      const call = { signal, headers, timeoutMs: options.timeoutMs() };
      const answered = await client.postJson('/v1/chat/completions', body, completion, call);
      if (!answered.ok) return answered;
      const { choices, usage } = answered.value;
      const text = (choices[0]?.message.content ?? '').trim().slice(0, LONGEST_ANSWER);
      return { ok: true, model: answered.value.model ?? chosen.model, text, usage: usage ?? noUsage };
    },
    probe: async (signal) => {
      const listed = await list(signal);
      if (!listed.ok) throw new Error(listed.message);
    },
    circuits: client.circuits,
    close: () => client.close(),
  };
}

/** Opens a chat server by its root; no connection is made before the first question. */
export function openChat(options: ChatOptions): ChatServer {
  const { name, url, token } = options;
  const client = createVendorClient({
    name,
    baseUrl: url.replace(/\/+$/, '').replace(/\/v1$/, ''),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    timeoutMs: options.timeoutMs(),
    answerBytes: ANSWER_BYTES,
  });
  return chatOver(client, options);
}
