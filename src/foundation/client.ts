import { Agent, type Dispatcher, errors } from 'undici';
import type { z } from 'zod';
import { type BreakerRules, CircuitBreaker, DEFAULT_BREAKER } from './breaker.ts';
import { type Contract, fillPath, type Operation, type Request } from './contract.ts';
import { startDeadline } from './deadline.ts';

/** Why a dependency gave nothing. */
export type LossReason = 'timeout' | 'unavailable' | 'rate_limited' | 'invalid_answer';

/** One call that a dependency lost. */
export interface Loss {
  dependency: string;
  reason: LossReason;
  message: string;
}

/** A dependency that works and says no: any 4xx but 401, 408 and 429. */
export interface Refusal {
  dependency: string;
  status: number;
  /** Parsed when it was JSON, else undefined. */
  body: unknown;
}

/** What goes with one call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  correlationId?: string | undefined;
  /** In place of the client's own limit. */
  timeoutMs?: number | undefined;
  /** Hears why the call resolved to undefined; never called when the caller itself left. */
  lost?: ((loss: Loss) => void) | undefined;
  /** Hears refusals; without it they count as losses with the reason invalid_answer. */
  refused?: ((refusal: Refusal) => void) | undefined;
}

type Answered<Op extends Operation> =
  | z.output<Op['answer']>
  | (Op extends { readonly answers: infer Others extends Readonly<Record<number, z.ZodType>> }
      ? z.output<Others[keyof Others]>
      : never);

/** A raw operation that still declares its body speaks JSON like the others; one without takes bytes. */
type TakesBytes = { readonly raw: true; readonly body?: never };

type Callable<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends TakesBytes ? never : Name;
}[keyof Operations];

/** One function for each operation of a contract; `undefined` means lost, and the caller decides what then. */
export type Client<C extends Contract> = {
  [Name in Callable<C['operations']>]: (
    input: Request<C, Name>,
    options?: CallOptions,
  ) => Promise<Answered<C['operations'][Name]> | undefined>;
} & ClientControls;

/** What every client has beside its operations. */
export interface ClientControls {
  /** Asks for health; rejects with a short reason. Absent when the dependency is switched off. */
  probe?: (signal: AbortSignal) => Promise<void>;
  close(): Promise<void>;
}

/** Settings of one client. */
export interface ClientOptions {
  /** The dependency's name in losses. */
  name: string;
  /** Undefined when the dependency is switched off: every call is then lost at once. */
  url: string | undefined;
  token?: string | undefined;
  /** For a whole call, in milliseconds. */
  timeoutMs: number;
  connections?: number | undefined;
  /** Largest answer in bytes. */
  answerBytes?: number | undefined;
  correlationHeader?: string | undefined;
  breaker?: Partial<BreakerRules> | undefined;
  /** Clock of the breaker, in milliseconds. */
  now?: (() => number) | undefined;
}

const defaultConnections = 32;
/** A session with all its findings is below one megabyte; embeddings of a thousand texts are below ten. */
const defaultAnswerBytes = 16 * 1024 * 1024;
const connectMs = 2_000;
const keepAliveMs = 30_000;

/** A call that came to nothing. */
class LostCall extends Error {
  readonly reason: LossReason;

  constructor(reason: LossReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A call that speaks against the dependency's health: the only kind that the breaker counts. */
class FailedCall extends LostCall {}

/** A call whose caller left; says nothing about the dependency. */
class Withdrawn extends Error {}

class Refused extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(`refused with status ${status}`);
    this.status = status;
    this.body = body;
  }
}

interface Connection {
  options: ClientOptions;
  agent: Agent;
  breaker: CircuitBreaker;
  origin: string;
  prefix: string;
}

function connectTo(options: ClientOptions, address: string): Connection {
  const url = new URL(address);
  return {
    options,
    origin: url.origin,
    prefix: url.pathname.replace(/\/+$/, ''),
    // The deadline of each call bounds headers and body together, so that the Agent's own limits are off.
    agent: new Agent({
      connections: options.connections ?? defaultConnections,
      pipelining: 1,
      connect: { timeout: connectMs },
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keepAliveMs,
      maxResponseSize: options.answerBytes ?? defaultAnswerBytes,
    }),
    breaker: new CircuitBreaker({ ...DEFAULT_BREAKER, ...options.breaker }, options.now),
  };
}

/** Builds the client of a contract. Constructing it opens no connection. */
export function createClient<C extends Contract>(contract: C, options: ClientOptions): Client<C> {
  const connection = options.url === undefined ? undefined : connectTo(options, options.url);
  const operations = Object.entries(contract.operations)
    .filter(([, operation]) => operation.raw !== true || operation.body !== undefined)
    .map(([name, operation]) => [
      name,
      (input: Sent, call: CallOptions = {}) => callOperation(connection, options, operation, input, call),
    ]);
  const { health } = contract.operations;
  const controls: ClientControls = {
    ...(connection !== undefined &&
      health !== undefined && { probe: (signal: AbortSignal) => probe(connection, health, signal) }),
    close: async () => connection?.agent.destroy(),
  };
  return { ...Object.fromEntries(operations), ...controls } as Client<C>;
}

/** The parts of a request as the wire needs them. */
interface Sent {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  body?: unknown;
}

async function callOperation(
  connection: Connection | undefined,
  options: ClientOptions,
  operation: Operation,
  input: Sent,
  call: CallOptions,
): Promise<unknown> {
  try {
    if (connection === undefined) throw new LostCall('unavailable', 'is switched off');
    return await throughBreaker(connection, operation, input, call);
  } catch (error) {
    report(options.name, error, call);
    return undefined;
  }
}

function report(dependency: string, error: unknown, call: CallOptions): void {
  if (error instanceof Withdrawn) return;
  if (error instanceof Refused && call.refused !== undefined) {
    call.refused({ dependency, status: error.status, body: error.body });
    return;
  }
  const reason =
    error instanceof LostCall ? error.reason : error instanceof Refused ? 'invalid_answer' : 'unavailable';
  const message = error instanceof Error ? error.message : String(error);
  call.lost?.({ dependency, reason, message: `${dependency}: ${message}` });
}

async function throughBreaker(connection: Connection, operation: Operation, input: Sent, call: CallOptions) {
  const { breaker } = connection;
  const permit = breaker.admit();
  if (permit === undefined) throw new LostCall('unavailable', 'failed lately and is left alone for a while');
  try {
    const result = await withinDeadline(connection, operation, input, call);
    breaker.succeeded(permit);
    return result;
  } catch (error) {
    if (error instanceof FailedCall) breaker.failed(permit);
    else if (error instanceof Withdrawn) breaker.dropped(permit);
    // A refusal, a rate limit or a wrong answer comes from a server that works.
    else breaker.succeeded(permit);
    throw error;
  }
}

async function withinDeadline(
  connection: Connection,
  operation: Operation,
  input: Sent,
  call: CallOptions,
): Promise<unknown> {
  const totalMs = call.timeoutMs ?? connection.options.timeoutMs;
  const deadline = startDeadline(totalMs, call.signal);
  try {
    return await exchange(connection, operation, input, call, deadline.signal);
  } catch (error) {
    if (deadline.reason === 'timeout') throw new FailedCall('timeout', `no answer within ${totalMs} ms`);
    throw deadline.reason === 'aborted' ? new Withdrawn() : error;
  } finally {
    deadline.stop();
  }
}

async function exchange(
  connection: Connection,
  operation: Operation,
  input: Sent,
  call: CallOptions,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await send(connection, operation, input, call, signal).catch(rethrowTransport);
  const body = await response.body.text().catch(rethrowTransport);
  const { statusCode } = response;
  if (statusCode >= 200 && statusCode < 300) return checkAnswer(operation, statusCode, body);
  throw failedStatus(statusCode, body);
}

function send(
  { agent, origin, prefix, options }: Connection,
  operation: Operation,
  input: Sent,
  call: CallOptions,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const hasBody = operation.body !== undefined;
  return agent.request({
    origin,
    path: `${prefix}${fillPath(operation.path, input.params)}${queryText(input.query)}`,
    method: operation.method,
    signal,
    headers: {
      accept: 'application/json',
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...(call.correlationId !== undefined && {
        [options.correlationHeader ?? 'X-Correlation-Id']: call.correlationId,
      }),
      ...headerTexts(input.headers),
    },
    body: hasBody ? JSON.stringify(input.body) : null,
  });
}

function queryText(query: Record<string, unknown> = {}): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, String(each)]),
    );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

const headerTexts = (headers: Record<string, unknown> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

/** Everything the transport may throw is a failure of the dependency, except an answer beyond our limit. */
function rethrowTransport(error: unknown): never {
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    throw new LostCall('invalid_answer', 'the answer is too large', { cause: error });
  }
  if (error instanceof errors.ConnectTimeoutError) {
    throw new FailedCall('timeout', 'no connection in time', { cause: error });
  }
  throw new FailedCall('unavailable', 'the connection failed', { cause: error });
}

function failedStatus(status: number, body: string): Error {
  if (status === 429) return new LostCall('rate_limited', 'too many requests');
  if (status === 401) return new LostCall('unavailable', 'our token is missing or refused');
  if (status === 408 || status === 504) return new FailedCall('timeout', `answered with status ${status}`);
  if (status >= 400 && status < 500) return new Refused(status, parseJson(body));
  if (status >= 500) return new FailedCall('unavailable', `answered with status ${status}`);
  return new LostCall('invalid_answer', `answered with status ${status}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checkAnswer(operation: Operation, status: number, body: string): unknown {
  const schema = operation.answers?.[status] ?? operation.answer;
  const result = schema.safeParse(parseJson(body));
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const where = first === undefined || first.path.length === 0 ? 'the answer' : first.path.join('.');
  throw new LostCall('invalid_answer', `the answer does not keep the contract at ${where}`);
}

async function probe(connection: Connection, health: Operation, signal: AbortSignal): Promise<void> {
  const response = await send(connection, health, {}, {}, signal);
  const body = parseJson(await response.body.text());
  if (response.statusCode !== 200) throw new Error(`answered with status ${response.statusCode}`);
  const said = typeof body === 'object' && body !== null && 'status' in body ? body.status : undefined;
  if (said === 'unhealthy') throw new Error('says that it is unhealthy');
}
