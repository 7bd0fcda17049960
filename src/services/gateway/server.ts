import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { errorResponse, type Failure } from '../../foundation/errors.ts';
import { gateway } from './contract.ts';
import type { GatewaySettings } from './settings.ts';

/** Milliseconds that an idle connection is kept: longer than the pools of usual proxies in front keep theirs. */
const KEEP_ALIVE_MS = 75_000;

/** Milliseconds beyond the patience with a service that a connection may be silent, in both directions. */
const SILENCE_MARGIN_MS = 60_000;

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function describe(code: string | undefined): { status: number; failure: Failure } {
  const { validation_failed: refuse } = gateway.errors;
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, failure: refuse({ message: 'The headers are too large.' }) };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, failure: refuse({ message: 'The request did not arrive in time.' }) };
  return { status: 400, failure: refuse({ message: 'The request is not HTTP.' }) };
}

/** Answers what could not be read as a request, and closes the connection. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, failure } = describe(error.code);
  const correlationId = randomUUID();
  const body = JSON.stringify(errorResponse(failure, correlationId));
  const lines = [
    `HTTP/1.1 ${status} ${REASONS[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-correlation-id: ${correlationId}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Makes a public server of an HTTP server: patient with nobody, and polite to what is no HTTP. */
export function hardenServer(server: Server, settings: GatewaySettings): void {
  server.headersTimeout = settings.GATEWAY_HEADERS_TIMEOUT_MS;
  server.requestTimeout = settings.GATEWAY_REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // A reader that takes nothing of its answer is cut off; event streams speak each 15 s.
  server.timeout = settings.GATEWAY_UPSTREAM_TIMEOUT_MS + SILENCE_MARGIN_MS;
  server.removeAllListeners('clientError');
  server.on('clientError', refuseConnection);
  // The body is asked for when somebody is about to read it, so that a refusal comes before the upload.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
}
