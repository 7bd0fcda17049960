import { LRUCache } from 'lru-cache';
import { Agent, type Dispatcher, type FormData } from 'undici';
import type { z } from 'zod';
import {
  type BreakerRules,
  CircuitBreaker,
  DEFAULT_BREAKER,
  type HasCircuits,
  worstState,
} from './breaker.ts';
import type { LossReason } from './client.ts';
import { DeadlineError, withDeadline } from './deadline.ts';
import { checkAddress } from './http/address-guard.ts';
import type { AllowList } from './http/allow-list.ts';
import { guardedConnector, type Resolve, systemResolve } from './http/connector.ts';
import { FETCH_REASONS, FetchError, reasonOf } from './http/reasons.ts';
import { parseJson } from './json.ts';
import { withSpan } from './tracing/tracing.ts';

/**
 * Why a call to a vendor was lost. `refused`: it answered any 4xx but 408 and 429, or the guard did not allow the
 * address. `aborted`: the caller left.
 */
export type VendorLossReason = LossReason | 'refused' | 'aborted';

/** A call without a usable answer. */
export interface VendorLoss {
  readonly ok: false;
  readonly vendor: string;
  readonly reason: VendorLossReason;
  /** Fixed text with the vendor's name; never text from the vendor. */
  readonly message: string;
  /** Status of the answer, when one came. */
  readonly status: number | undefined;
  /** Milliseconds that the vendor asks to wait, when its answer says so in Retry-After. */
  readonly retryAfterMs: number | undefined;
  /** False when nothing was sent, because the circuit is open or the address is not allowed. */
  readonly sent: boolean;
}

/** A checked answer. */
export interface VendorAnswer<Value> {
  readonly ok: true;
  readonly status: number;
  readonly value: Value;
}

/** The result of a call to a vendor; failures outside this process are results, not errors. */
export type VendorResult<Value> = VendorAnswer<Value> | VendorLoss;

/** Bytes as a vendor sent them, and what it calls them. */
export interface VendorBytes {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
}

/** Options of one call. */
export interface VendorCall {
  readonly signal?: AbortSignal | undefined;
  /** Undefined values are left out; lists repeat their name. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** In place of the client's own limit, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

type QueryValue = string | number | boolean;

/** Calls a service of another vendor. Paths start with a slash; without a base address they are whole addresses. */
export interface VendorClient extends HasCircuits {
  getJson<Value>(path: string, schema: z.ZodType<Value>, call?: VendorCall): Promise<VendorResult<Value>>;
  postJson<Value>(
    path: string,
    body: unknown,
    schema: z.ZodType<Value>,
    call?: VendorCall,
  ): Promise<VendorResult<Value>>;
  /** Sends URLSearchParams as application/x-www-form-urlencoded, FormData (undici's) as multipart/form-data. */
  postForm<Value>(
    path: string,
    form: URLSearchParams | FormData,
    schema: z.ZodType<Value>,
    call?: VendorCall,
  ): Promise<VendorResult<Value>>;
  getBytes(path: string, call?: VendorCall): Promise<VendorResult<VendorBytes>>;
  close(): Promise<void>;
}

/** Settings of one vendor client. */
export interface VendorClientOptions {
  /** The vendor's name in losses. */
  readonly name: string;
  /** Address from the settings; without one every call names its own whole address. */
  readonly baseUrl?: string | undefined;
  /** Sent with every call: the key, the user agent, what is accepted. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For a whole call, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest answer in bytes. */
  readonly answerBytes: number;
  /** Connections to one server. */
  readonly connections?: number | undefined;
  /** Rules of the circuit breaker that each server has. */
  readonly breaker?: Partial<BreakerRules> | undefined;
  /** Clock of the breakers, in milliseconds. */
  readonly now?: (() => number) | undefined;
  /** For addresses that users, pages or other vendors wrote: only public ones and listed private ones are called. */
  readonly guard?: { readonly allow: AllowList; readonly resolve?: Resolve } | undefined;
}

const DEFAULT_CONNECTIONS = 8;
const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 30_000;
/** Servers whose breakers are kept; the least recent is forgotten first, which closes its circuit. */
const KEPT_BREAKERS = 1_000;

/** A failed call; never leaves this file. */
class VendorFailure extends Error {
  readonly reason: VendorLossReason;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly sent: boolean;

  constructor(
    reason: VendorLossReason,
    message: string,
    facts: { status?: number; retryAfterMs?: number | undefined; sent?: boolean } = {},
  ) {
    super(message);
    this.reason = reason;
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
    this.sent = facts.sent ?? true;
  }
}

interface Vendor {
  readonly options: VendorClientOptions;
  readonly agent: Agent;
  breakerOf(origin: string): CircuitBreaker;
}

/** What is sent, and how the body of a success is read. */
interface Exchange<Value> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly call: VendorCall;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | null;
  read(response: Dispatcher.ResponseData): Promise<Value>;
}

function agentOf(options: VendorClientOptions): Agent {
  const { guard } = options;
  return new Agent({
    connect:
      guard === undefined
        ? { timeout: CONNECT_MS }
        : guardedConnector({
            allow: guard.allow,
            resolve: guard.resolve ?? systemResolve,
            dnsMs: CONNECT_MS,
            connectMs: CONNECT_MS,
          }),
    connections: options.connections ?? DEFAULT_CONNECTIONS,
    pipelining: 1,
    // The deadline of each call bounds headers and body together.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxResponseSize: options.answerBytes,
  });
}

/** Builds the client of one vendor. Constructing it opens no connection; redirects are not followed. */
export function createVendorClient(options: VendorClientOptions): VendorClient {
  const breakers = new LRUCache<string, CircuitBreaker>({ max: KEPT_BREAKERS });
  const rules = { ...DEFAULT_BREAKER, ...options.breaker };
  const vendor: Vendor = {
    options,
    agent: agentOf(options),
    breakerOf: (origin) => {
      const breaker = breakers.get(origin) ?? new CircuitBreaker(rules, options.now);
      breakers.set(origin, breaker);
      return breaker;
    },
  };
  const json = { accept: 'application/json' };
  const post = <Value>(
    path: string,
    body: string | FormData,
    contentType: string | undefined,
    schema: z.ZodType<Value>,
    call: VendorCall,
  ) => {
    const headers = contentType === undefined ? json : { ...json, 'content-type': contentType };
    return exchange(vendor, { method: 'POST', path, call, headers, body, read: jsonReader(schema) });
  };
  return {
    getJson: (path, schema, call = {}) =>
      exchange(vendor, { method: 'GET', path, call, headers: json, body: null, read: jsonReader(schema) }),
    postJson: (path, body, schema, call = {}) =>
      post(path, JSON.stringify(body), 'application/json', schema, call),
    postForm: (path, form, schema, call = {}) =>
      form instanceof URLSearchParams
        ? post(path, form.toString(), 'application/x-www-form-urlencoded', schema, call)
        : post(path, form, undefined, schema, call),
    getBytes: (path, call = {}) =>
      exchange(vendor, { method: 'GET', path, call, headers: {}, body: null, read: readBytes }),
    // One for all servers: their number has no bound.
    circuits: [
      { name: options.name, state: () => worstState([...breakers.values()].map((one) => one.state())) },
    ],
    close: () => vendor.agent.destroy(),
  };
}

async function exchange<Value>(vendor: Vendor, request: Exchange<Value>): Promise<VendorResult<Value>> {
  try {
    const url = addressOf(vendor.options, request);
    return await withSpan(
      // The id of the trace stays within: it says nothing to a vendor.
      () => ({
        name: `${request.method} ${vendor.options.name}`,
        kind: 'client',
        attributes: { 'peer.service': vendor.options.name, 'http.request.method': request.method },
      }),
      () => throughBreaker(vendor, request, url),
    );
  } catch (error) {
    const { reason, message, status, retryAfterMs, sent } = failureOf(error);
    const { name } = vendor.options;
    return { ok: false, vendor: name, reason, message: `${name}: ${message}`, status, retryAfterMs, sent };
  }
}

/** The address of a call; the one of the settings is trusted, all others pass the guard when there is one. */
function addressOf(options: VendorClientOptions, { path, call }: Exchange<unknown>): URL {
  const { baseUrl, guard } = options;
  const url =
    baseUrl === undefined && guard !== undefined
      ? checkAddress(path, guard.allow)
      : new URL(`${baseUrl?.replace(/\/+$/, '') ?? ''}${path}`);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    const values = value === undefined ? [] : Array.isArray(value) ? value : [value];
    for (const each of values) url.searchParams.append(name, String(each));
  }
  return url;
}

async function throughBreaker<Value>(
  vendor: Vendor,
  request: Exchange<Value>,
  url: URL,
): Promise<VendorAnswer<Value>> {
  const breaker = vendor.breakerOf(url.origin);
  const permit = breaker.admit();
  if (permit === undefined) {
    throw new VendorFailure('unavailable', 'failed lately and is left alone for a while', { sent: false });
  }
  const limitMs = request.call.timeoutMs ?? vendor.options.timeoutMs;
  try {
    const answer = await withDeadline(limitMs, request.call.signal, (signal) =>
      send(vendor, request, url, signal),
    );
    breaker.succeeded(permit);
    return answer;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.reason === 'timeout' || failure.reason === 'unavailable') breaker.failed(permit);
    else if (failure.reason === 'aborted' || !failure.sent) breaker.dropped(permit);
    // A refusal, a rate limit or a wrong answer comes from a server that works.
    else breaker.succeeded(permit);
    throw failure;
  }
}

async function send<Value>(
  { agent, options }: Vendor,
  { method, call, headers, body, read }: Exchange<Value>,
  url: URL,
  signal: AbortSignal,
): Promise<VendorAnswer<Value>> {
  const response = await agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    signal,
    headers: { ...headers, ...options.headers, ...call.headers },
    body,
  });
  const { statusCode: status } = response;
  const isSuccess = status >= 200 && status < 300;
  const promisedBytes = Number(response.headers['content-length'] ?? 0);
  if (isSuccess && promisedBytes <= options.answerBytes) {
    return { ok: true, status, value: await read(response) };
  }
  // An unread body is discarded instead of awaited.
  response.body.on('error', () => {}).destroy();
  throw isSuccess ? new FetchError('too_large') : failedStatus(status, response.headers['retry-after']);
}

function jsonReader<Value>(schema: z.ZodType<Value>) {
  return async (response: Dispatcher.ResponseData): Promise<Value> => {
    const text = await response.body.text();
    const status = response.statusCode;
    const value = parseJson(text);
    if (value === undefined) throw new VendorFailure('invalid_answer', 'the answer is not JSON', { status });
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const [first] = result.error.issues;
    const where = first === undefined || first.path.length === 0 ? 'its top' : first.path.join('.');
    throw new VendorFailure('invalid_answer', `the answer is not of the expected form at ${where}`, {
      status,
    });
  };
}

async function readBytes(response: Dispatcher.ResponseData): Promise<VendorBytes> {
  const contentType = response.headers['content-type'];
  return {
    bytes: new Uint8Array(await response.body.arrayBuffer()),
    contentType: typeof contentType === 'string' ? contentType : undefined,
  };
}

function failedStatus(status: number, retryAfter: string | string[] | undefined): VendorFailure {
  const facts = { status, retryAfterMs: retryAfterMs(retryAfter, Date.now()) };
  if (status === 429) return new VendorFailure('rate_limited', 'too many requests', facts);
  const message = `answered with status ${status}`;
  if (status === 408 || status === 504) return new VendorFailure('timeout', message, facts);
  if (status >= 500) return new VendorFailure('unavailable', message, facts);
  return new VendorFailure(status >= 400 ? 'refused' : 'invalid_answer', message, facts);
}

/** Milliseconds of a Retry-After header, which holds seconds or a date (RFC 9110 section 10.2.3). */
function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

/** The loss for an error that a call threw. */
function failureOf(error: unknown): VendorFailure {
  if (error instanceof VendorFailure) return error;
  if (error instanceof DeadlineError) return new VendorFailure(error.reason, error.message);
  const reason = reasonOf(error);
  if (reason === 'url_not_allowed') {
    const message = error instanceof FetchError ? error.message : FETCH_REASONS.url_not_allowed;
    return new VendorFailure('refused', message, { sent: false });
  }
  const message = FETCH_REASONS[reason];
  if (reason === 'timeout') return new VendorFailure('timeout', message);
  const isAnswer = reason === 'too_large' || reason === 'invalid_answer';
  return new VendorFailure(isAnswer ? 'invalid_answer' : 'unavailable', message);
}
