import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How often connections are looked through while a server closes, in milliseconds. */
const LOOK_MS = 50;

/**
 * Makes a server close as soon as its requests are answered. Node leaves two kinds of connections open: those that have
 * not carried a request yet (browsers open them ahead), and those whose request was in progress when the close began.
 * Call the result when the close begins; what it returns ends the sweep.
 */
export function createIdleConnectionSweep(server: Server): () => () => void {
  const silent = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }) => silent.delete(socket));
  return () => {
    const sweep = () => {
      for (const socket of silent) socket.destroy();
      server.closeIdleConnections();
    };
    sweep();
    const timer = setInterval(sweep, LOOK_MS);
    return () => clearInterval(timer);
  };
}

/**
 * Passes each request to `take` before the listener of the web framework. Requests that it does not take, and those that `leave`
 * excludes, go to the framework as usual.
 */
export function installRawHandler(
  server: Server,
  take: (request: IncomingMessage, response: ServerResponse) => boolean,
  leave: (request: IncomingMessage) => boolean = () => false,
): void {
  // The framework's listener is the server's first; those that others added hear every request, as before.
  const [framework] = server.listeners('request') as RequestListener[];
  if (framework === undefined) throw new Error('the framework does not listen yet');
  server.removeListener('request', framework);
  server.on('request', (request, response) => {
    if (leave(request) || !take(request, response)) framework.call(server, request, response);
  });
}
