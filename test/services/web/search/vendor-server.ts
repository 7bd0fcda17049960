import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { packageFile } from '../../../../src/foundation/files.ts';

/** A documented answer, as text. */
export const fixture = (name: string): string =>
  readFileSync(packageFile('test', 'services', 'web', 'search', 'fixtures', `${name}.json`), 'utf8');

/** What a vendor was sent. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** A server that stands in for a vendor on this machine, and remembers what it was sent. */
export async function startVendor(answer: RequestListener) {
  const sent: SentRequest[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://vendor.invalid');
      const text = Buffer.concat(parts).toString('utf8');
      sent.push({
        method: request.method ?? '',
        path: pathname,
        query: Object.fromEntries(searchParams),
        headers: request.headers,
        body: text === '' ? undefined : JSON.parse(text),
      });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers every request with this JSON. */
export const always =
  (text: string): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
