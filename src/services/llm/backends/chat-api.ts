import { Pool } from 'undici';
import type { BackendName, CompletionOperation } from '../contract.ts';
import type { AnswerSink, BackendCall, ListedModel, Transfer } from './backend.ts';
import { HttpCall } from './http-call.ts';

/** Where a server of the chat-completion family is, and how to reach it. */
export interface ChatApiOptions {
  readonly name: BackendName;
  /** Root of the server; a trailing /v1 is tolerated. */
  readonly url: string;
  readonly key: string | undefined;
  readonly connectTimeoutMs: number;
}

/** What a server answered to a small JSON request. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Lists are small; a server that sends more than this is none. */
const LARGEST_LIST_BYTES = 32 * 1024 * 1024;

const PATHS: Readonly<Record<CompletionOperation, string>> = {
  chat: '/v1/chat/completions',
  complete: '/v1/completions',
};

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

/** The context length under the names that servers give it: vLLM, OpenRouter, Groq, llama.cpp. */
function contextLength(entry: Fields): number | null {
  const meta = fields(entry.meta);
  return (
    positive(entry.max_model_len) ??
    positive(entry.context_length) ??
    positive(entry.context_window) ??
    positive(meta.n_ctx) ??
    positive(meta.n_ctx_train) ??
    null
  );
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((word): word is string => typeof word === 'string') : [];
}

/** What a model can do, as far as its server says; every model of a chat server chats. */
function capabilities(entry: Fields): string[] {
  const inputs = words(fields(entry.architecture).input_modalities);
  const parameters = words(entry.supported_parameters);
  const abilities = new Set(['chat']);
  if (inputs.includes('image')) abilities.add('vision');
  if (inputs.includes('audio')) abilities.add('audio');
  if (parameters.includes('tools')) abilities.add('tools');
  if (parameters.includes('reasoning')) abilities.add('reasoning');
  return [...abilities];
}

/** Whether a listed model is in memory: llama.cpp's router says so in its status; elsewhere a listed model is served. */
function isLoaded(entry: Fields): boolean {
  const status = fields(entry.status).value;
  return typeof status === 'string' ? status === 'loaded' : true;
}

/** One entry of a model list in our words; undefined when it has no id. */
export function listedModel(entry: unknown): ListedModel | undefined {
  const model = fields(entry);
  const { id, created, owned_by } = model;
  if (typeof id !== 'string' || id === '') return undefined;
  return {
    id,
    created: typeof created === 'number' ? Math.floor(created) : 0,
    owned_by: typeof owned_by === 'string' ? owned_by : '',
    loaded: isLoaded(model),
    context_length: contextLength(model),
    capabilities: capabilities(model),
  };
}

/** A server of the chat-completion family behind one connection pool. */
export class ChatApi {
  readonly name: BackendName;
  private readonly pool: Pool;
  private readonly prefix: string;
  private readonly key: string | undefined;

  constructor({ name, url, key, connectTimeoutMs }: ChatApiOptions) {
    const root = new URL(url.replace(/\/+$/, '').replace(/\/v1$/, ''));
    this.name = name;
    this.key = key;
    this.prefix = root.pathname.replace(/\/$/, '');
    // Time limits of answers are the caller's business; the pool limits only the time to connect.
    this.pool = new Pool(root.origin, {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectTimeoutMs, noDelay: true },
    });
  }

  send(backendCall: BackendCall, receiver: AnswerSink): Transfer {
    const call = new HttpCall(receiver);
    const { operation, body, stream, requestId } = backendCall;
    const headers = [
      'content-type',
      'application/json',
      'accept',
      stream ? 'text/event-stream' : 'application/json',
      'x-request-id',
      requestId,
    ];
    if (this.key !== undefined) headers.push('authorization', `Bearer ${this.key}`);
    this.pool.dispatch({ path: this.prefix + PATHS[operation], method: 'POST', headers, body }, call);
    return call;
  }

  /** A small JSON request beside completions, such as the model list. */
  async json(
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal,
    sent?: Readonly<Record<string, unknown>>,
  ): Promise<JsonAnswer> {
    const answer = await this.pool.request({
      method,
      path: this.prefix + path,
      signal,
      headers: {
        accept: 'application/json',
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }),
      },
      body: sent === undefined ? null : JSON.stringify(sent),
    });
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of answer.body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > LARGEST_LIST_BYTES) throw new Error('the answer is too large');
      parts.push(part);
    }
    return { status: answer.statusCode, body: parse(Buffer.concat(parts)) };
  }

  async list(signal: AbortSignal): Promise<ListedModel[]> {
    const { status, body } = await this.json('GET', '/v1/models', signal);
    if (status !== 200) throw new Error(`the model list answered ${status}`);
    const { data } = fields(body);
    if (!Array.isArray(data)) throw new Error('the model list has no data');
    return data.flatMap((entry) => listedModel(entry) ?? []);
  }

  async probe(signal: AbortSignal): Promise<void> {
    await this.list(signal);
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
