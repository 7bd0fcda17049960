import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import type { Operation } from '../foundation/contract.ts';
import type { ErrorResponse } from '../services/analysis/resources/error-response.ts';
import { UserError } from './user-error.ts';

/** A platform to ask: where it is and a token for it. */
export interface Api {
  readonly url: string;
  readonly token: string;
  /** What to do when the platform refuses the token: where it came from, and what to set. */
  readonly advice?: string;
  readonly agent?: Dispatcher;
}

/** Path prefix of the analysis service at the gateway. */
export const PREFIX = '/agent-v3';

/** What is sent beside method and path. */
interface SentParts {
  readonly body?: unknown;
  /** Bytes in place of a JSON body; opened anew for each try. */
  readonly content?: () => AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** How often a call is repeated that the platform refused for its rate or because it is stopping. */
const MOST_REPEATS = 6;
/** Longest pause before such a repeat, in seconds. */
const LONGEST_PAUSE_SECONDS = 20;

/** Reports a platform that cannot be reached in one sentence. */
async function reach<Result>(url: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'AbortError' || error.name === 'TimeoutError')
      throw error;
    const code = 'code' in error ? String(error.code) : error.message;
    const message =
      code === 'ECONNREFUSED'
        ? `nothing runs at ${url}; start the platform with: limpede up`
        : `${url} cannot be reached: ${code}`;
    throw new UserError(message, { cause: error });
  }
}

/** One exchange, repeated as long as the platform says when to come again. */
async function exchange(
  { url, token, agent }: Api,
  method: Operation['method'],
  path: string,
  { body, content, headers, signal }: SentParts,
): Promise<Dispatcher.ResponseData> {
  for (let repeats = 0; ; repeats += 1) {
    const response = await reach(
      url,
      request(url + path, {
        method,
        ...(agent !== undefined && { dispatcher: agent }),
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(content !== undefined && { body: Readable.from(content(), { objectMode: false }) }),
        ...(signal !== undefined && { signal }),
      }),
    );
    const { statusCode } = response;
    const seconds = Number(response.headers['retry-after']);
    const refused = statusCode === 429 || statusCode === 503;
    if (!refused || repeats === MOST_REPEATS || !Number.isFinite(seconds)) return response;
    await response.body.dump();
    await pause(Math.min(seconds, LONGEST_PAUSE_SECONDS) * 1_000, undefined, { signal });
  }
}

/** Code, words and places of an error body, in one line. */
function reasonOf(body: unknown): string {
  const { error = 'no reason was given', error_code = '', details = [] } = body as Partial<ErrorResponse>;
  const places = details.map(({ path, message }) => `; ${path}: ${message}`);
  return `${error_code}: ${error}${places.join('')}`;
}

/** An answer that is an error, by its status and what the body says. */
export class ApiError extends UserError {
  readonly status: number;

  constructor(status: number, body: string) {
    const parsed: unknown = body.startsWith('{') ? JSON.parse(body) : { error: body };
    super(`${status} ${reasonOf(parsed)}`);
    this.status = status;
  }
}

/** A platform that does not accept the token: no other call with it will do better. */
export class RefusedTokenError extends UserError {}

/** The error for an answer with an error status. */
function errorOf({ advice }: Api, status: number, body: string): UserError {
  const error = new ApiError(status, body);
  return status === 401 && advice !== undefined ? new RefusedTokenError(`${error.message} ${advice}`) : error;
}

/** The path of a pipeline operation. */
export const pipelinePath = (path: string) => `${PREFIX}/api/v3/pipeline/${path}`;

/** Calls an operation that answers JSON; the body of the answer. Throws RefusedCallError. */
export async function callJson(
  api: Api,
  method: Operation['method'],
  path: string,
  parts: SentParts = {},
): Promise<unknown> {
  const { statusCode, body } = await exchange(api, method, path, parts);
  const text = await body.text();
  if (statusCode >= 400) throw errorOf(api, statusCode, text);
  return JSON.parse(text);
}

/** Reads an operation that answers a file. Throws RefusedCallError. */
export async function callFile(api: Api, path: string): Promise<Buffer> {
  const { statusCode, body } = await exchange(api, 'GET', path, {});
  if (statusCode >= 400) throw errorOf(api, statusCode, await body.text());
  return Buffer.from(await body.arrayBuffer());
}

/** Opens an operation that answers a stream of events; undefined when the platform has none there. */
export async function openEvents(
  api: Api,
  path: string,
  lastEventId: string | undefined,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  const { statusCode, headers: answered, body } = await exchange(api, 'GET', path, { headers, signal });
  if (statusCode === 200 && String(answered['content-type']).startsWith('text/event-stream')) return body;
  await body.dump();
  return undefined;
}
