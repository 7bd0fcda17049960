import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Failure } from '../../foundation/errors.ts';
import type { Logger } from '../../foundation/log.ts';
import {
  type BodyLimits,
  bodyFailures,
  drainBody,
  meteredBody,
  wholeBody,
} from '../../foundation/service/request-body.ts';
import { errors } from './errors.ts';
import { type AnswerHeaders, responseHeaders } from './headers.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';

/** Stops one exchange. The client of the services takes an emitter as it takes an AbortSignal, at a fraction of the cost. */
export class Stop extends EventEmitter {
  aborted = false;

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.emit('abort');
  }
}

/** One request on its way to a service and its answer on the way back. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstream: Upstream;
  readonly path: string;
  readonly headers: Record<string, string>;
  /** Headers that the gateway adds to the answer. */
  readonly answerHeaders: () => AnswerHeaders;
  /** Sees the beginning of the answer before it goes back. */
  readonly answered: (answer: UpstreamAnswer) => void;
  readonly limits: BodyLimits;
  /** Milliseconds between two heartbeats, when the answer is to be a stream of events. */
  readonly heartbeatMs: number | undefined;
  /** Event streams that are open, to be ended when the gateway stops: they have no end of their own. */
  readonly openStreams: Set<Stop>;
  readonly correlationId: string;
  readonly log: Logger;
}

/** Seconds after which a caller may try a service again that was out of reach. */
const RETRY_AFTER = '2';

/** Bodies of up to so many bytes, which is nearly all, are sent in one piece: a stream costs more than it saves. */
const ONE_PIECE = 65_536;

const failures = bodyFailures(errors);

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** What to tell the caller about a service that gave no answer. */
function toFailure(error: unknown, { upstream, correlationId, log }: Exchange): Failure {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  if (code === 'UND_ERR_INVALID_ARG')
    return errors.validation_failed({
      message: 'The request has a header or an address that cannot be passed on.',
      cause: error,
    });
  const facts = { err: error, upstream: upstream.name, correlation_id: correlationId };
  log.warn(facts, 'a service behind the gateway gave no answer');
  const late = code === 'UND_ERR_HEADERS_TIMEOUT';
  return errors.service_unavailable({
    message: late
      ? 'The service behind did not answer in time; try again later.'
      : 'The service behind cannot be reached at the moment; try again shortly.',
    headers: { 'Retry-After': RETRY_AFTER },
    cause: error,
  });
}

/** The declared length of a body in bytes; null when it comes in chunks, 0 when there is none. */
function declaredLength({ method, headers }: IncomingMessage): number | null {
  if (method === 'GET' || method === 'HEAD') return 0;
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}

async function askWithBody(exchange: Exchange, length: number | null, signal: Stop) {
  const { request, response, upstream, path, headers, limits, heartbeatMs } = exchange;
  if (request.headers.expect !== undefined) response.writeContinue();
  const method = request.method ?? 'POST';
  if (length !== null && length <= ONE_PIECE) {
    const body = await wholeBody(request, limits, failures);
    return upstream.send({ method, path, headers, body, signal, heartbeatMs });
  }
  const sized = length === null ? headers : { ...headers, 'content-length': String(length) };
  const body = meteredBody(request, limits, failures);
  try {
    return await upstream.send({ method, path, headers: sized, body, signal, heartbeatMs });
  } catch (error) {
    // The client of the service may tell that its body broke, but not why.
    throw body.errored instanceof Failure ? body.errored : error;
  }
}

async function ask(exchange: Exchange, signal: Stop): Promise<UpstreamAnswer> {
  const { request, upstream, path, headers, limits, heartbeatMs } = exchange;
  const length = declaredLength(request);
  if (length !== null && length > limits.bytes) {
    drainBody(request);
    throw failures.tooLarge();
  }
  const method = request.method ?? 'GET';
  if (length === 0) return upstream.send({ method, path, headers, body: null, signal, heartbeatMs });
  return askWithBody(exchange, length, signal);
}

/**
 * Pipes an answer to its end; resolves to the reason when it broke off, which the caller sees by the missing end.
 * (`pipeline` of Node does the same, and makes and aborts a signal for each answer, at a third of the cost of a request.)
 */
function pass(body: Readable, response: ServerResponse): Promise<Error | undefined> {
  return new Promise((resolve) => {
    body.on('error', (error) => {
      response.destroy();
      resolve(error);
    });
    response.once('close', () => {
      body.destroy();
      resolve(response.writableFinished ? undefined : new Error('the client left'));
    });
    body.pipe(response);
  });
}

/**
 * Passes a request on and its answer back; only small bodies are held. A client that leaves ends the request behind.
 * Throws a failure while nothing was answered yet; resolves to false when the client left before that.
 */
export async function relay(exchange: Exchange, claim: () => void): Promise<boolean> {
  const { response, upstream, correlationId, openStreams, log } = exchange;
  const stop = new Stop();
  response.once('close', () => {
    if (!response.writableFinished) stop.abort();
  });
  let answer: UpstreamAnswer;
  try {
    answer = await ask(exchange, stop);
  } catch (error) {
    if (stop.aborted) return false;
    throw toFailure(error, exchange);
  }
  exchange.answered(answer);
  const headers = responseHeaders(exchange.answerHeaders(), answer.headers);
  claim();
  response.writeHead(answer.status, headers);
  // The reader of an event stream learns that it is open before the first event.
  if (String(answer.headers['content-type']).startsWith('text/event-stream')) {
    response.flushHeaders();
    openStreams.add(stop);
  }
  const broken = await pass(answer.body, response);
  openStreams.delete(stop);
  if (broken !== undefined && !stop.aborted) {
    const facts = { err: broken, upstream: upstream.name, correlation_id: correlationId };
    log.warn(facts, 'an answer broke off');
  }
  return true;
}
