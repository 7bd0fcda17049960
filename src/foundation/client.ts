import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import type { HasCircuits } from './breaker.ts';
import {
  type AnswerLimits,
  checkJson,
  type ReceivedBytes,
  readText,
  receiveBytes,
  receiveEvents,
} from './client/answers.ts';
import { type ClientOptions, type Connection, connectTo } from './client/connection.ts';
import {
  CallerAbortedError,
  FailedCallError,
  type Loss,
  LostCallError,
  type Refusal,
  RefusedCallError,
  rethrowTransport,
  statusError,
} from './client/losses.ts';
import type { RequestParts } from './client/request.ts';
import type { Contract, Operation } from './contract.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { parseStatus } from './health.ts';
import { parseJson } from './json.ts';
import {
  type BytesAnswer,
  type BytesBody,
  type EventsAnswer,
  type FormOrJsonBody,
  isJson,
  type MultipartBody,
  type OutgoingFile,
  type ReceivedEvent,
} from './payloads.ts';
import { UNTRACED_PATHS, withSpan } from './tracing/tracing.ts';

export type { ReceivedBytes } from './client/answers.ts';
export type { ClientOptions } from './client/connection.ts';
export type { Loss, LossReason, Refusal } from './client/losses.ts';

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  correlationId?: string | undefined;
  /** In place of the client's own limit. */
  timeoutMs?: number | undefined;
  /**
   * Whether an answer of bytes has to end within the time limit, counted from the call. Otherwise the limit is for its beginning and for
   * each pause in it, so that a long file may take its time.
   */
  wholeInTime?: boolean | undefined;
  /** In place of the client's own limit. */
  answerBytes?: number | undefined;
  /** Called with the reason when the call resolves to undefined, or when its stream breaks off; not when the caller itself aborted. */
  lost?: ((loss: Loss) => void) | undefined;
  /** Called with refusals; without it they count as losses with the reason invalid_answer. */
  refused?: ((refusal: Refusal) => void) | undefined;
}

type RequestPart<Op, Key extends string> = Op extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? { [K in Key]: z.input<Schema> }
  : unknown;

type OutgoingFiles<Files> = {
  readonly [Name in keyof Files]: Files[Name] extends { readonly maxCount: number }
    ? readonly OutgoingFile[]
    : Files[Name] extends { readonly required: false }
      ? OutgoingFile | undefined
      : OutgoingFile;
};

type SentForm<Form extends MultipartBody> = {
  fields: z.input<Form['fields']>;
  files: OutgoingFiles<Form['files']>;
};

type SentBody<Op> = Op extends { readonly body: infer Declared }
  ? Declared extends MultipartBody
    ? { body: SentForm<Declared> }
    : Declared extends FormOrJsonBody
      ? { body: SentForm<Declared['form']> | { json: z.input<Declared['json']> } }
      : Declared extends BytesBody
        ? { body: Pick<OutgoingFile, 'content' | 'mediaType'> }
        : RequestPart<Op, 'body'>
  : unknown;

/** The request of an operation: only the parts that it declares. */
type CallInput<Op> = RequestPart<Op, 'params'> &
  RequestPart<Op, 'query'> &
  RequestPart<Op, 'headers'> &
  SentBody<Op> &
  (Op extends { readonly answer: EventsAnswer } ? { lastEventId?: string | undefined } : unknown);

type Received<Op extends Operation> = Op['answer'] extends EventsAnswer
  ? AsyncIterable<ReceivedEvent<Op['answer']['events']>>
  : Op['answer'] extends BytesAnswer
    ? ReceivedBytes
    : z.output<Extract<Op['answer'], z.ZodType>>;

type Answered<Op extends Operation> =
  | Received<Op>
  | (Op extends { readonly answers: infer Others extends Readonly<Record<number, z.ZodType>> }
      ? z.output<Others[keyof Others]>
      : never);

/** A raw operation that still declares its body speaks JSON like the others; one without takes bytes. */
type TakesBytes = { readonly raw: true; readonly body?: never };

type Callable<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends TakesBytes ? never : Name;
}[keyof Operations];

/** One function for each operation of a contract; it resolves to undefined when the call was lost, and never throws for that. */
export type Client<C extends Contract> = {
  [Name in Callable<C['operations']>]: (
    input: CallInput<C['operations'][Name]>,
    options?: CallOptions,
  ) => Promise<Answered<C['operations'][Name]> | undefined>;
} & ClientControls;

/** What every client offers beside its operations. */
export interface ClientControls extends HasCircuits {
  /** Asks for health; rejects with a short reason. Absent when the dependency is switched off. */
  probe?: (signal: AbortSignal) => Promise<void>;
  close(): Promise<void>;
}

/** A session with all its findings is below one megabyte; embeddings of a thousand texts are below ten. */
const DEFAULT_ANSWER_BYTES = 16 * 1024 * 1024;

/** Builds the client of a contract. Constructing it opens no connection. */
export function createClient<C extends Contract>(contract: C, options: ClientOptions): Client<C> {
  const connection = options.url === undefined ? undefined : connectTo(options, options.url);
  const operations = Object.entries(contract.operations)
    .filter(([, operation]) => operation.raw !== true || operation.body !== undefined)
    .map(([name, operation]) => [
      name,
      (parts: RequestParts, call: CallOptions = {}) =>
        callOperation(connection, options.name, { operation, parts, call }),
    ]);
  const { health } = contract.operations;
  const controls: ClientControls = {
    ...(connection !== undefined &&
      health !== undefined && { probe: (signal: AbortSignal) => probe(connection, health, signal) }),
    circuits:
      connection === undefined ? [] : [{ name: options.name, state: () => connection.breaker.state() }],
    close: async () => connection?.close(),
  };
  return { ...Object.fromEntries(operations), ...controls } as Client<C>;
}

/** One call of one operation. */
interface OperationCall {
  readonly operation: Operation;
  readonly parts: RequestParts;
  readonly call: CallOptions;
}

async function callOperation(
  connection: Connection | undefined,
  dependency: string,
  request: OperationCall,
): Promise<unknown> {
  try {
    if (connection === undefined) throw new LostCallError('unavailable', 'is switched off');
    const { method, path } = request.operation;
    if (UNTRACED_PATHS.has(path)) return await throughBreaker(connection, request);
    return await withSpan(
      () => ({
        name: `${method} ${path}`,
        kind: 'client',
        attributes: { 'peer.service': dependency, 'http.request.method': method, 'url.template': path },
      }),
      () => throughBreaker(connection, request),
    );
  } catch (error) {
    report(dependency, error, request.call);
    return undefined;
  }
}

function report(dependency: string, error: unknown, call: CallOptions): void {
  if (error instanceof CallerAbortedError) return;
  if (error instanceof RefusedCallError && call.refused !== undefined) {
    call.refused({ dependency, status: error.status, body: error.body });
    return;
  }
  const reason =
    error instanceof LostCallError
      ? error.reason
      : error instanceof RefusedCallError
        ? 'invalid_answer'
        : 'unavailable';
  const message = error instanceof Error ? error.message : String(error);
  call.lost?.({ dependency, reason, message: `${dependency}: ${message}` });
}

/** The breaker counts whether an answer began well; an answer that breaks off later is reported to its reader only. */
async function throughBreaker(connection: Connection, request: OperationCall): Promise<unknown> {
  const { breaker } = connection;
  const permit = breaker.admit();
  if (permit === undefined)
    throw new LostCallError('unavailable', 'failed lately and is left alone for a while');
  try {
    const result = await withinDeadline(connection, request);
    breaker.succeeded(permit);
    return result;
  } catch (error) {
    if (error instanceof FailedCallError) breaker.failed(permit);
    else if (error instanceof CallerAbortedError) breaker.dropped(permit);
    // A refusal, a rate limit or a wrong answer comes from a server that works.
    else breaker.succeeded(permit);
    throw error;
  }
}

async function withinDeadline(connection: Connection, request: OperationCall): Promise<unknown> {
  const { signal, timeoutMs } = request.call;
  const limitMs = timeoutMs ?? connection.options.timeoutMs;
  const deadline = startDeadline(limitMs, signal);
  try {
    return await exchange(connection, request, deadline);
  } catch (error) {
    if (deadline.reason === 'timeout') throw new FailedCallError('timeout', `no answer within ${limitMs} ms`);
    throw deadline.reason === 'aborted' ? new CallerAbortedError() : error;
  } finally {
    deadline.stop();
  }
}

async function exchange(
  connection: Connection,
  request: OperationCall,
  deadline: Deadline,
): Promise<unknown> {
  const { operation, parts, call } = request;
  const response = await connection
    .send(operation, parts, call.correlationId, deadline.signal)
    .catch(rethrowTransport);
  const { statusCode, body } = response;
  const bytes = call.answerBytes ?? connection.options.answerBytes ?? DEFAULT_ANSWER_BYTES;
  const isStreamed = statusCode < 300 && operation.answers?.[statusCode] === undefined;
  if (isStreamed && !isJson(operation.answer)) return receive(connection, request, response, bytes, deadline);
  const text = await readText(body, bytes).catch((error: unknown) => {
    body.on('error', () => {}).destroy();
    throw error instanceof LostCallError ? error : rethrowTransport(error);
  });
  if (statusCode >= 200 && statusCode < 300) return checkJson(operation, statusCode, text);
  throw statusError(statusCode, parseJson(text));
}

/** An answer that is passed on as it arrives. */
function receive(
  { options }: Connection,
  { operation, call }: OperationCall,
  response: Dispatcher.ResponseData,
  bytes: number,
  deadline: Deadline,
): unknown {
  const { answer } = operation;
  const tell = (error: unknown) => report(options.name, error, call);
  const limits = (pauseMs: number): AnswerLimits => ({ bytes, pauseMs, caller: call.signal });
  if ('kind' in answer && answer.kind === 'events')
    // After two missing heartbeats the connection counts as lost.
    return receiveEvents(response, answer, limits(2 * answer.heartbeatMs), tell);
  const limitMs = call.timeoutMs ?? options.timeoutMs;
  const end = {
    at: performance.now() + deadline.remainingMs(),
    message: `no whole answer within ${limitMs} ms`,
  };
  return receiveBytes(
    response,
    { ...limits(limitMs), end: call.wholeInTime === true ? end : undefined },
    tell,
  );
}

async function probe(connection: Connection, health: Operation, signal: AbortSignal): Promise<void> {
  const response = await connection.send(health, {}, undefined, signal);
  const body = parseJson(await readText(response.body, DEFAULT_ANSWER_BYTES));
  if (response.statusCode !== 200) throw new Error(`answered with status ${response.statusCode}`);
  const word = typeof body === 'object' && body !== null && 'status' in body ? body.status : undefined;
  const status = parseStatus(word);
  if (status === 'unhealthy') throw new Error('says that it is unhealthy');
  if (status === undefined) throw new Error('answers with no report of its health');
}
