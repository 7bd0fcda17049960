import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Failure } from '../errors.ts';

/** Milliseconds that the sender has to read the answer. */
const LINGER_MS = 2_000;

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** The statuses are those of HTTP itself; every error table knows the code. */
function failureOf(parserCode: string | undefined): Failure {
  if (parserCode === 'HPE_HEADER_OVERFLOW')
    return new Failure('validation_failed', 431, 'The headers are too large.');
  if (parserCode === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Failure('validation_failed', 408, 'The request did not arrive in time.');
  return new Failure('validation_failed', 400, 'The request is not HTTP.');
}

/** Answers what is no HTTP request in the service's own error shape, and closes the connection. */
export function answerMalformedRequests(
  errorBody: (failure: Failure, call: { correlationId: string }) => unknown,
  correlationHeader: string,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const failure = failureOf(error.code);
    const correlationId = randomUUID();
    const body = JSON.stringify(errorBody(failure, { correlationId }));
    const lines = [
      `HTTP/1.1 ${failure.status} ${REASONS[failure.status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `${correlationHeader}: ${correlationId}`,
      'connection: close',
    ];
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
    // A sender that goes on sending would keep the connection.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}
