import type { IncomingMessage } from 'node:http';
import { Failure } from '../../foundation/errors.ts';
import {
  type BodyLimits,
  bodyFailures,
  drainBody,
  meteredBody,
  readSmallBody,
} from '../../foundation/service/request-body.ts';
import { AnswerRelay, type AnswerTarget } from './answer.ts';
import { errors } from './errors.ts';
import type { Upstream } from './upstream.ts';

/** One request on its way to a service and its answer on the way back. */
export interface Exchange extends AnswerTarget {
  readonly request: IncomingMessage;
  readonly upstream: Upstream;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly limits: BodyLimits;
  /** Milliseconds between two heartbeats, when the answer is to be a stream of events. */
  readonly heartbeatMs: number | undefined;
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

/** The failure for a service that gave no answer. */
function toFailure(error: unknown, { facts, log }: Exchange): Failure {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  if (code === 'UND_ERR_INVALID_ARG')
    return errors.validation_failed({
      message: 'The request has a header or an address that cannot be passed on.',
      cause: error,
    });
  log.warn({ err: error, ...facts }, 'a service behind the gateway gave no answer');
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

async function askWithBody(exchange: Exchange, length: number | null, answer: AnswerRelay): Promise<void> {
  const { request, response, upstream, path, headers, limits, heartbeatMs } = exchange;
  if (request.headers.expect !== undefined) response.writeContinue();
  const method = request.method ?? 'POST';
  if (length !== null && length <= ONE_PIECE) {
    const body = await readSmallBody(request, limits, failures);
    upstream.send({ method, path, headers, body, heartbeatMs }, answer);
    return answer.ended;
  }
  const sized = length === null ? headers : [...headers, 'content-length', String(length)];
  const body = meteredBody(request, limits, failures);
  upstream.send({ method, path, headers: sized, body, heartbeatMs }, answer);
  // The client of the service may tell that its body broke, but not why.
  return answer.ended.catch((error: unknown) => {
    throw body.errored instanceof Failure ? body.errored : error;
  });
}

async function ask(exchange: Exchange, answer: AnswerRelay): Promise<void> {
  const { request, upstream, path, headers, limits, heartbeatMs } = exchange;
  const length = declaredLength(request);
  if (length !== null && length > limits.bytes) {
    drainBody(request);
    throw failures.tooLarge();
  }
  if (length !== 0) return askWithBody(exchange, length, answer);
  upstream.send({ method: request.method ?? 'GET', path, headers, body: null, heartbeatMs }, answer);
  return answer.ended;
}

/**
 * Passes a request on and its answer back; only small bodies are held. A client that leaves ends the request behind.
 * Throws a failure while nothing was answered yet; resolves to false when the client left before that.
 */
export async function relay(exchange: Exchange): Promise<boolean> {
  const answer = new AnswerRelay(exchange);
  try {
    await ask(exchange, answer);
    return true;
  } catch (error) {
    if (answer.aborted) return false;
    throw toFailure(error, exchange);
  }
}
