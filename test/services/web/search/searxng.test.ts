import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { packageFile } from '../../../../src/foundation/files.ts';
import { createSearxng, type Searxng } from '../../../../src/services/web/search/providers/searxng.ts';

const configuration = readFileSync(
  packageFile('test', 'services', 'web', 'search', 'fixtures', 'searxng-config.json'),
  'utf8',
);

const servers: Server[] = [];
const opened: Searxng[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((searxng) => searxng.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Undefined when the probe passes, else its message. */
async function probe(listener: RequestListener, signal = new AbortController().signal) {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const searxng = createSearxng({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/searxng`,
    userAgent: 'Limpede/test',
    timeoutMs: 5_000,
  });
  opened.push(searxng);
  return searxng.probe(signal).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

describe('the probe of SearXNG', () => {
  it('passes when its configuration names an engine that is on', async () => {
    let path: string | undefined;
    const outcome = await probe((request, response) => {
      path = request.url;
      response.setHeader('content-type', 'application/json').end(configuration);
    });
    expect(outcome).toBeUndefined();
    expect(path).toBe('/searxng/config');
  });

  it.each<[string, RequestListener, RegExp]>([
    [
      'no engine is on',
      (_request, response) => response.end(configuration.replaceAll('true', 'false')),
      /no search engine is enabled/,
    ],
    ['it is another server', (_request, response) => response.end('<html>'), /not JSON/],
    ['its limiter refuses us', (_request, response) => response.writeHead(429).end(), /too many requests/],
    ['it is broken', (_request, response) => response.writeHead(500).end(), /status 500/],
    ['it breaks the connection', (request) => request.socket.destroy(), /could not be reached/],
  ])('fails when %s', async (_name, listener, message) => {
    expect(await probe(listener)).toMatch(message);
  });

  it('ends with its caller', async () => {
    const leaving = new AbortController();
    expect(await probe(() => leaving.abort(), leaving.signal)).toMatch(/the caller left/);
  });
});
