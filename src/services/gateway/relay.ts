import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../foundation/errors.ts';
import type { Logger } from '../../foundation/log.ts';
import { gateway } from './contract.ts';
import { type AnswerHeaders, responseHeaders } from './headers.ts';
import { type BodyLimits, drainBody, meteredBody } from './metered-body.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';

/** One request on its way to a service and its answer on the way back. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstream: Upstream;
  readonly path: string;
  readonly headers: Record<string, string>;
  /** Headers that the gateway adds to the answer. */
  readonly answerHeaders: () => AnswerHeaders;
  readonly limits: BodyLimits;
  /** Event streams that are open, to be ended when the gateway stops: they have no end of their own. */
  readonly openStreams: Set<AbortController>;
  readonly log: Logger;
}

/** Seconds after which a caller may try a service again that was out of reach. */
const RETRY_AFTER = '2';

const bodyFailures = {
  tooLarge: () => gateway.errors.payload_too_large(),
  tooSlow: () =>
    gateway.errors.validation_failed({
      message: 'The body did not arrive in time.',
      headers: { Connection: 'close' },
    }),
};

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** What to tell the caller about a service that gave no answer. */
function toFailure(error: unknown, { upstream, log }: Exchange): Failure {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  if (code === 'UND_ERR_INVALID_ARG')
    return gateway.errors.validation_failed({
      message: 'The request has a header or an address that cannot be passed on.',
      cause: error,
    });
  log.warn({ err: error, upstream: upstream.name }, 'a service behind the gateway gave no answer');
  const late = code === 'UND_ERR_HEADERS_TIMEOUT';
  return gateway.errors.shutting_down({
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

async function ask(exchange: Exchange, signal: AbortSignal): Promise<UpstreamAnswer> {
  const { request, response, upstream, path, headers, limits } = exchange;
  const length = declaredLength(request);
  if (length !== null && length > limits.bytes) {
    drainBody(request);
    throw bodyFailures.tooLarge();
  }
  const method = request.method ?? 'GET';
  if (length === 0) return upstream.send({ method, path, headers, body: null, signal });
  if (request.headers.expect !== undefined) response.writeContinue();
  const body = meteredBody(request, limits, bodyFailures);
  const sized = length === null ? headers : { ...headers, 'content-length': String(length) };
  try {
    return await upstream.send({ method, path, headers: sized, body, signal });
  } catch (error) {
    // The client of the service may tell that its body broke, but not why.
    throw body.errored instanceof Failure ? body.errored : error;
  }
}

/**
 * Passes a request on and its answer back, both as streams; nothing is held. A client that leaves ends the request
 * behind. Throws a failure while nothing was answered yet; resolves to false when the client left before that.
 */
export async function relay(exchange: Exchange, claim: () => void): Promise<boolean> {
  const { response } = exchange;
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  let answer: UpstreamAnswer;
  try {
    answer = await ask(exchange, controller.signal);
  } catch (error) {
    if (controller.signal.aborted) return false;
    throw toFailure(error, exchange);
  }
  const headers = responseHeaders(exchange.answerHeaders(), answer.headers);
  claim();
  response.writeHead(answer.status, headers);
  // The reader of an event stream learns that it is open before the first event.
  if (String(answer.headers['content-type']).startsWith('text/event-stream')) {
    response.flushHeaders();
    exchange.openStreams.add(controller);
  }
  // A stream that breaks off here has destroyed the response: the caller sees that the answer is not complete.
  await pipeline(answer.body, response).catch((error: unknown) => {
    if (!controller.signal.aborted)
      exchange.log.warn({ err: error, upstream: exchange.upstream.name }, 'an answer broke off');
  });
  exchange.openStreams.delete(controller);
  return true;
}
