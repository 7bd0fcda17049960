import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that came, its body as JSON. */
interface UpstreamRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

/** What the server answers. */
export interface UpstreamReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

/** A model server of the common convention that answers what a test says. */
export async function startUpstreamServer(listed: UpstreamReply) {
  const state = {
    requests: [] as UpstreamRequest[],
    reply: { status: 200, body: {} } as UpstreamReply,
    models: listed,
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString('utf8');
    const { authorization } = request.headers;
    state.requests.push({
      path: request.url ?? '',
      authorization,
      body: text === '' ? {} : JSON.parse(text),
    });
    const { status, body, headers } = request.url === '/v1/models' ? state.models : state.reply;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** As it was when it started. */
    reset: () => Object.assign(state, { requests: [], reply: { status: 200, body: {} }, models: listed }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The status and code with which each service reports what its upstream server did. */
export const TOLD_AS: readonly (readonly [status: number, told: number, code: string])[] = [
  [429, 429, 'upstream_rate_limited'],
  [404, 404, 'model_not_found'],
  [400, 400, 'request_refused'],
  [401, 502, 'backend_failed'],
  [500, 503, 'backend_unavailable'],
];
