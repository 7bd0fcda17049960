import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One completion request as it reached the model server. */
export interface Arrival {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
  readonly response: ServerResponse;
  /** Resolves when the connection of an unfinished answer closes. */
  readonly left: Promise<void>;
}

/** What the server does with a completion request. */
export type Script = (arrival: Arrival) => unknown;

/** A scripted model server on 127.0.0.1. */
export interface Upstream {
  readonly url: string;
  readonly arrivals: Arrival[];
  script: Script;
  models: Record<string, unknown>[];
  /** Answers for other paths: `GET /api/ps` and the like. */
  extras: Record<string, (body: Record<string, unknown>) => [status: number, body: unknown]>;
  close(): Promise<void>;
}

export const plainAnswer = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Salut' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
};

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Begins a stream of events. */
export function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}

/** One chunk of a stream as an event. */
export function event(content: string | undefined, finish: string | null = null): string {
  const delta = content === undefined ? {} : { content };
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

export const usageEvent = `data: ${JSON.stringify({ choices: [], usage: plainAnswer.usage })}\n\n`;
export const done = 'data: [DONE]\n\n';

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Starts a server that answers completions by its script; at first with a plain answer. */
export async function startUpstream(): Promise<Upstream> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    const left = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      const path = request.url ?? '';
      const extra = upstream.extras[`${request.method} ${path}`];
      if (extra !== undefined) json(response, ...extra(parse(text)));
      else if (path === '/v1/models') json(response, 200, { object: 'list', data: upstream.models });
      else if (path.endsWith('/completions')) {
        const arrival = { path, headers: request.headers, text, body: parse(text), response, left };
        upstream.arrivals.push(arrival);
        upstream.script(arrival);
      } else json(response, 404, { detail: 'Not Found' });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream: Upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: [],
    script: ({ response }) => json(response, 200, plainAnswer),
    models: [{ id: 'm', object: 'model', created: 1, owned_by: 'test', max_model_len: 4096 }],
    extras: {},
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}
