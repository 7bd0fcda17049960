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

async function start(listener: RequestListener): Promise<Searxng> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const searxng = createSearxng({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/searxng`,
    userAgent: 'Limpede/test',
    timeoutMs: 5_000,
  });
  opened.push(searxng);
  return searxng;
}

/** Undefined when the probe passes, else its message. */
async function probe(listener: RequestListener, signal = new AbortController().signal) {
  const searxng = await start(listener);
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

describe('pages of results', () => {
  const wanted = {
    ...{ query: 'podul', language: 'ro', country: 'RO', freshness: null, allow: [], block: [] },
    safeSearch: 'moderate' as const,
  };
  const { signal } = new AbortController();

  /** A server whose pages have these numbers of results; it remembers which pages were asked. */
  async function paged(pageOf: (page: number) => number[] | number) {
    const asked: number[] = [];
    const searxng = await start((request, response) => {
      const page = Number(new URL(request.url ?? '', 'http://x.invalid').searchParams.get('pageno') ?? 1);
      asked.push(page);
      const results = pageOf(page);
      if (typeof results === 'number') return void response.writeHead(results).end();
      const found = results.map((number) => ({
        ...{
          url: `https://${number}.example/`,
          title: `${number}`,
          img_src: `https://${number}.example/i.png`,
        },
      }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ results: found }));
    });
    const numbersOf = (answer: Awaited<ReturnType<Searxng['search']>>) =>
      answer.ok ? answer.items.map(({ title }) => Number(title)) : answer.reason;
    return {
      asked,
      search: async (count: number) => numbersOf(await searxng.search({ ...wanted, count }, signal)),
      images: async (count: number) => {
        const answer = await searxng.images?.(
          { ...wanted, count, safeSearch: 'off', spellcheck: false },
          signal,
        );
        return answer?.ok === true ? answer.items.length : undefined;
      },
    };
  }
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

  it('are asked until there are enough, each result once', async () => {
    const server = await paged((page) => range(page * 10 - 12, page * 10));
    expect(await server.search(25)).toEqual(range(-2, 30));
    expect(server.asked).toEqual([1, 2, 3]);
    expect(await server.images(15)).toBe(22);
    expect(server.asked).toEqual([1, 2, 3, 1, 2]);
  });

  it.each<[string, (page: number) => number[] | number, number, number[]]>([
    ['one, when it has enough', () => range(0, 12), 12, [1]],
    ['one, when it is not full', () => range(0, 5), 5, [1]],
    ['no more when one brings nothing new', () => range(0, 12), 12, [1, 2]],
    [
      'no more when one fails, and what was found stays',
      (page) => (page === 1 ? range(0, 9) : 500),
      9,
      [1, 2],
    ],
    ['four at most', (page) => range(page * 9, page * 9 + 9), 36, [1, 2, 3, 4]],
  ])('are %s', async (name, pageOf, found, pages) => {
    const server = await paged(pageOf);
    expect(await server.search(name.startsWith('one, when it has') ? 10 : 100)).toHaveLength(found);
    expect(server.asked).toEqual(pages);
  });

  it('are lost when the first fails', async () => {
    expect(await (await paged(() => 500)).search(10)).toBe('unavailable');
  });
});
