import type { Server } from 'node:http';
import type { GatewaySettings } from './settings.ts';

/** Milliseconds that an idle connection is kept: longer than the pools of usual proxies in front keep theirs. */
const KEEP_ALIVE_MS = 75_000;

/** Milliseconds beyond the time limit of a service that a connection may be silent, in both directions. */
const SILENCE_MARGIN_MS = 60_000;

/** Sets the time limits of a public server, and lets it refuse an upload before the body is sent. */
export function hardenServer(server: Server, settings: GatewaySettings): void {
  server.headersTimeout = settings.GATEWAY_HEADERS_TIMEOUT_MS;
  server.requestTimeout = settings.GATEWAY_REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // A client that stops reading its answer is disconnected; event streams send a heartbeat every 15 s.
  server.timeout = settings.GATEWAY_UPSTREAM_TIMEOUT_MS + SILENCE_MARGIN_MS;
  // 100 Continue is sent only when the body is about to be read, so that a refusal comes before the upload.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
}
