import { Agent, type Dispatcher, request } from 'undici';
import { type Deadline, startDeadline } from './deadline.ts';
import { checkAddress, checkRedirect, hostOf, REDIRECT_LIMIT } from './http/address-guard.ts';
import { type AllowList, parseAllowList } from './http/allow-list.ts';
import { openContent, readBody } from './http/body.ts';
import { guardedConnector, type Resolve, systemResolve } from './http/connector.ts';
import { type FilteringProxy, startFilteringProxy } from './http/filtering-proxy.ts';
import { createHostThrottle, type HostThrottle } from './http/host-throttle.ts';
import { FETCH_REASONS, FetchError, type FetchReason, reasonOf } from './http/reasons.ts';
import { acceptedType, mediaType } from './media-type.ts';
import { withSpan } from './tracing/tracing.ts';

export type { FilteringProxy } from './http/filtering-proxy.ts';
export type { FetchReason } from './http/reasons.ts';

/** Limits of a guarded fetch: milliseconds, bytes, requests. */
export interface FetchLimits {
  dnsMs: number;
  connectMs: number;
  headersMs: number;
  /** Longest silence within a body. */
  bodyIdleMs: number;
  /** Everything together, redirects and waiting for the host's turn included. */
  totalMs: number;
  wireBytes: number;
  decodedBytes: number;
  /** Decoded bytes per byte on the wire. */
  ratio: number;
  perHostPerSecond: number;
  perHostBurst: number;
}

/** Ten megabytes hold every article that people read; the times are those after which readers give up. */
export const DEFAULT_FETCH_LIMITS: FetchLimits = {
  dnsMs: 5_000,
  connectMs: 5_000,
  headersMs: 15_000,
  bodyIdleMs: 10_000,
  totalMs: 30_000,
  wireBytes: 10 * 1024 * 1024,
  decodedBytes: 30 * 1024 * 1024,
  ratio: 100,
  perHostPerSecond: 5,
  perHostBurst: 10,
};

/** One followed redirect: the address that answered it, and the status. */
export interface Redirect {
  url: string;
  status: number;
}

/** What a host answered, whatever the status. */
export interface FetchAnswer {
  ok: true;
  /** The address as it was asked for. */
  url: string;
  /** The address that answered, after redirects. */
  finalUrl: string;
  status: number;
  /** Names in lower case; repeated headers are joined by a comma. */
  headers: Record<string, string>;
  /** By header and bytes; undefined for a failed status that names none. */
  contentType: string | undefined;
  /** Decoded. */
  body: Uint8Array;
  redirects: Redirect[];
}

/** Why there is no answer. The message is fixed text: nothing that the host said. */
export interface FetchFailure {
  ok: false;
  url: string;
  reason: FetchReason;
  message: string;
  redirects: Redirect[];
}

/** Outcome of a guarded fetch. */
export type FetchOutcome = FetchAnswer | FetchFailure;

/** The outcome of a download: the result of `receive`, undefined when the status is no success. */
export type DownloadOutcome<Result> =
  | { ok: true; finalUrl: string; status: number; received: Result | undefined }
  | FetchFailure;

/** Options of one fetch. */
export interface FetchOptions {
  signal?: AbortSignal | undefined;
  /** At most the total limit of the guard. */
  timeoutMs?: number | undefined;
  /** On the wire; at most the limit of the guard. */
  maxBytes?: number | undefined;
  /** Media types that are read, such as `text/html` or `image/*`; everything when absent. */
  accept?: readonly string[] | undefined;
  /** Value of Accept-Language. */
  language?: string | undefined;
}

/** Outbound HTTP for addresses that come from users, pages or search results. */
export interface GuardedHttp {
  /** Fetches one address; never throws. */
  get(address: string, options?: FetchOptions): Promise<FetchOutcome>;
  /**
   * Fetches one address and hands its bytes on as they arrive, with their number where the host says it. What `receive` throws
   * is thrown on; nothing else is.
   */
  download<Result>(
    address: string,
    receive: (content: AsyncIterable<Buffer>, size: number | undefined) => Promise<Result>,
    options?: Pick<FetchOptions, 'signal' | 'timeoutMs' | 'maxBytes'>,
  ): Promise<DownloadOutcome<Result>>;
  /** The refusal that `get` would give before any connection; undefined when the address may be tried. */
  refusal(address: string): FetchFailure | undefined;
  /** Opens a proxy on this machine through which a browser reaches what `get` may reach, and nothing else. */
  proxy(): Promise<FilteringProxy>;
  close(): Promise<void>;
}

/** Settings of the guard. */
export interface GuardOptions {
  /** Entries host, host:port, address, address:port or CIDR range that may be private. */
  allowedPrivateHosts: readonly string[];
  /** Says who asks and where to complain. */
  userAgent: string;
  /** Read at each fetch: limits may change while the guard is in use. */
  limits?: (() => Partial<FetchLimits>) | undefined;
  resolve?: Resolve | undefined;
}

/** Connections kept to one origin. */
const CONNECTIONS_PER_ORIGIN = 2;

/** Statuses whose Retry-After is honoured, and the longest pause, in milliseconds. */
const BUSY_STATUSES = new Set([429, 503]);
const LONGEST_HOLD_MS = 60_000;

/** Large enough for the longest content security policies in use. */
const HEADER_BYTES = 64 * 1024;

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Builds the guard; its connections are its own and end with `close`. */
export function createGuardedHttp(options: GuardOptions): GuardedHttp {
  const limits = (): FetchLimits => ({ ...DEFAULT_FETCH_LIMITS, ...options.limits?.() });
  const allow = parseAllowList(options.allowedPrivateHosts);
  const connector = guardedConnector({
    allow,
    resolve: options.resolve ?? systemResolve,
    get dnsMs() {
      return limits().dnsMs;
    },
    get connectMs() {
      return limits().connectMs;
    },
  });
  const agent = new Agent({
    connect: connector,
    connections: CONNECTIONS_PER_ORIGIN,
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES,
  });
  const throttle = createHostThrottle(() => {
    const { perHostPerSecond: perSecond, perHostBurst: burst } = limits();
    return { perSecond, burst };
  });
  const guard: Guard = { agent, allow, throttle, limits, userAgent: options.userAgent };
  return {
    get: (address, fetchOptions = {}) =>
      withSpan(
        () => ({ name: 'GET page', kind: 'client', attributes: { 'http.request.method': 'GET' } }),
        () => guardedGet(guard, address, fetchOptions),
      ),
    download: (address, receive, fetchOptions = {}) =>
      withSpan(
        () => ({ name: 'GET file', kind: 'client', attributes: { 'http.request.method': 'GET' } }),
        () => guardedDownload(guard, address, receive, fetchOptions),
      ),
    refusal: (address) => {
      try {
        checkAddress(address, allow);
        return undefined;
      } catch (error) {
        return failure(address, error, []);
      }
    },
    proxy: () => startFilteringProxy({ connector, allow, wireBytes: limits().wireBytes }),
    close: () => agent.destroy(),
  };
}

/** Options of one request. */
interface AskOptions extends Pick<FetchOptions, 'signal' | 'timeoutMs' | 'accept' | 'language'> {
  /** Value of Accept-Encoding; what can be decoded unless said otherwise. */
  encoding?: string;
}

/** The response of an address. */
interface Reached<Answer> {
  ok: true;
  finalUrl: string;
  status: number;
  answer: Answer;
  redirects: Redirect[];
}

/** What one guard keeps between fetches. */
interface Guard {
  agent: Agent;
  allow: AllowList;
  throttle: HostThrottle;
  limits: () => FetchLimits;
  userAgent: string;
}

function failure(url: string, error: unknown, redirects: Redirect[]): FetchFailure {
  const reason = reasonOf(error);
  const message = error instanceof FetchError ? error.message : FETCH_REASONS[reason];
  return { ok: false, url, reason, message, redirects };
}

/** Requests an address and reads the answer within the time limit of the fetch; failures are outcomes, not errors. */
async function guardedRequest<Answer>(
  guard: Guard,
  address: string,
  options: AskOptions,
  read: (response: Dispatcher.ResponseData) => Promise<Answer>,
): Promise<Reached<Answer> | FetchFailure> {
  const redirects: Redirect[] = [];
  const deadline = startDeadline(
    Math.min(options.timeoutMs ?? Number.POSITIVE_INFINITY, guard.limits().totalMs),
    options.signal,
  );
  try {
    const { url, response } = await follow(
      guard,
      checkAddress(address, guard.allow),
      options,
      deadline,
      redirects,
    );
    const answer = await read(response);
    return { ok: true, finalUrl: url.href, status: response.statusCode, answer, redirects };
  } catch (error) {
    // An error after the deadline is a consequence of it.
    return failure(
      address,
      deadline.reason === undefined ? error : new FetchError(deadline.reason),
      redirects,
    );
  } finally {
    deadline.stop();
  }
}

async function guardedGet(guard: Guard, address: string, options: FetchOptions): Promise<FetchOutcome> {
  const outcome = await guardedRequest(guard, address, options, (response) =>
    readAnswer(guard, response, options),
  );
  if (!outcome.ok) return outcome;
  const { finalUrl, status, answer, redirects } = outcome;
  return { ok: true, url: address, finalUrl, status, ...answer, redirects };
}

async function guardedDownload<Result>(
  guard: Guard,
  address: string,
  receive: (content: AsyncIterable<Buffer>, size: number | undefined) => Promise<Result>,
  options: Pick<FetchOptions, 'signal' | 'timeoutMs' | 'maxBytes'>,
): Promise<DownloadOutcome<Result>> {
  let refused: { readonly error: unknown } | undefined;
  const mostBytes = Math.min(options.maxBytes ?? Number.POSITIVE_INFINITY, guard.limits().wireBytes);
  const plain = { ...options, encoding: 'identity' };
  const outcome = await guardedRequest(guard, address, plain, async (response) => {
    const content = openContent(response, mostBytes);
    if (content === undefined) return undefined;
    try {
      return await receive(content.bytes, content.size);
    } catch (error) {
      if (!content.isOwn(error)) refused = { error };
      throw error;
    } finally {
      response.body.on('error', () => {}).destroy();
    }
  });
  if (refused !== undefined) throw refused.error;
  if (!outcome.ok) return outcome;
  const { finalUrl, status, answer } = outcome;
  return { ok: true, finalUrl, status, received: answer };
}

async function follow(
  guard: Guard,
  start: URL,
  options: AskOptions,
  deadline: Deadline,
  redirects: Redirect[],
) {
  let url = start;
  for (;;) {
    await guard.throttle.wait(hostOf(url), deadline.remainingMs(), deadline.signal);
    deadline.signal.throwIfAborted();
    const response = await ask(guard, url, options, deadline.signal);
    heed(guard, url, response);
    const location = response.headers.location;
    if (!REDIRECT_STATUSES.has(response.statusCode) || typeof location !== 'string') return { url, response };
    response.body.on('error', () => {}).destroy();
    redirects.push({ url: url.href, status: response.statusCode });
    if (redirects.length > REDIRECT_LIMIT) throw new FetchError('too_many_redirects');
    url = checkRedirect(url, location, guard.allow);
  }
}

/** Pauses requests to a host that sent Retry-After, in seconds or as a date. */
function heed({ throttle }: Guard, url: URL, { statusCode, headers }: Dispatcher.ResponseData): void {
  const { 'retry-after': after } = headers;
  if (!BUSY_STATUSES.has(statusCode) || typeof after !== 'string') return;
  const milliseconds = /^\d+$/.test(after.trim()) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  if (milliseconds > 0) throttle.hold(hostOf(url), Math.min(milliseconds, LONGEST_HOLD_MS));
}

function ask(
  guard: Guard,
  url: URL,
  options: AskOptions,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { headersMs, bodyIdleMs } = guard.limits();
  return request(`${url.origin}${url.pathname}${url.search}`, {
    dispatcher: guard.agent,
    method: 'GET',
    signal,
    headersTimeout: headersMs,
    bodyTimeout: bodyIdleMs,
    headers: {
      'user-agent': guard.userAgent,
      accept: options.accept === undefined ? '*/*' : `${options.accept.join(', ')}, */*;q=0.1`,
      'accept-encoding': options.encoding ?? 'gzip, deflate, br',
      ...(options.language === undefined ? {} : { 'accept-language': options.language }),
    },
  });
}

const plainHeaders = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

async function readAnswer(guard: Guard, response: Dispatcher.ResponseData, options: FetchOptions) {
  const limits = guard.limits();
  const headers = plainHeaders(response.headers);
  const wireBytes = Math.min(options.maxBytes ?? limits.wireBytes, limits.wireBytes);
  const isSuccess = response.statusCode >= 200 && response.statusCode < 300;
  let contentType = mediaType(headers['content-type']);
  const checkType = async (start: Uint8Array) => {
    if (!isSuccess) return;
    contentType = await acceptedType(headers['content-type'], start, options.accept ?? ['*/*']);
    if (contentType === undefined) throw new FetchError('unsupported_type');
  };
  if (Number(headers['content-length'] ?? 0) > wireBytes) {
    response.body.on('error', () => {}).destroy();
    throw new FetchError('too_large');
  }
  const bounds = { wireBytes, decodedBytes: limits.decodedBytes, ratio: limits.ratio };
  const body = await readBody(response.body, headers['content-encoding'], bounds, checkType);
  return { headers, contentType, body };
}
