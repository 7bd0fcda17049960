import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from './host-policy.ts';

/** How often open bodies are checked, in milliseconds. */
const LOOK_MS = 5_000;
/** A body that is not whole yet must bring at least so many bytes within so many milliseconds. */
const LEAST_BYTES = 4096;
const WINDOW_MS = 30_000;

/** An incoming body. */
interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** When it was last seen to make progress, and the bytes of its connection then; undefined before the first look. */
  seenAt: number | undefined;
  bytes: number;
}

/** What Node itself reports when a request takes too long. */
const tooSlow = () =>
  Object.assign(new Error('The body came too slowly.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/** Whether a body has come too little further since the last look; notes how far it is. */
function stands(arrival: Arrival, socket: Socket, now: number): boolean {
  const { request, seenAt, bytes } = arrival;
  // What has arrived and waits for its reader is no fault of the sender's.
  const progresses = socket.bytesRead - bytes >= LEAST_BYTES || request.readableLength > 0;
  if (seenAt !== undefined && !progresses) return now - seenAt >= WINDOW_MS;
  arrival.seenAt = now;
  arrival.bytes = socket.bytesRead;
  return false;
}

/**
 * Ends requests whose bodies trickle in and keep a connection and its handler busy (the slow-body attack). An upload
 * that makes progress may take any time. The cost per request is one entry in a set.
 */
export function endSlowBodies(server: Server): void {
  const arrivals = new Map<Socket, Arrival | undefined>();
  server.on('connection', (socket: Socket) => {
    arrivals.set(socket, undefined);
    socket.once('close', () => arrivals.delete(socket));
  });
  server.on('request', (request, response) => {
    if (hasBody(request)) arrivals.set(request.socket, { request, response, seenAt: undefined, bytes: 0 });
  });
  const look = () => {
    const now = performance.now();
    for (const [socket, arrival] of arrivals) {
      if (arrival === undefined) continue;
      if (arrival.request.complete) arrivals.set(socket, undefined);
      else if (stands(arrival, socket, now)) {
        arrivals.set(socket, undefined);
        if (arrival.response.headersSent) socket.destroy();
        else server.emit('clientError', tooSlow(), socket);
      }
    }
  };
  const timer = setInterval(look, LOOK_MS).unref();
  server.once('close', () => clearInterval(timer));
}
