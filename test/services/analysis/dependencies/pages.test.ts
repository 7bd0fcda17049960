import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../../../src/foundation/client.ts';
import { createPageFetcher } from '../../../../src/services/analysis/dependencies/pages.ts';
import { web } from '../../../../src/services/web/contract.ts';

interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

const URL_OF_PAGE = 'https://example.org/a';
const failed = {
  url: URL_OF_PAGE,
  error: 'paywalled',
  message: 'For subscribers.',
  status_code: 402,
  fallback_chain: [],
};
const ANSWER = {
  request_id: '00000000-0000-4000-8000-000000000000',
  pages: [],
  total_fetched: 0,
  total_failed: 1,
  execution_time_ms: 1,
  failed_urls: [failed],
};

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A web service that answers these statuses in turn, then 200. */
async function webThatAnswers(...statuses: number[]) {
  const asked: Asked[] = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      asked.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      const status = statuses.shift() ?? 200;
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify(status === 200 ? ANSWER : {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient(web, { name: 'web', url, timeoutMs: 10_000 });
  return { asked, read: createPageFetcher(client) };
}

const runOf = (account: string) => ({
  signal: new AbortController().signal,
  correlationId: 'c',
  account,
});

describe('the pages of an analysis', () => {
  it('name the user by a key that tells nothing, and ask for no more text than is analysed', async () => {
    const { asked, read } = await webThatAnswers();
    for (const account of ['clients/ana', 'clients/ana', 'clients/ion'])
      await read(URL_OF_PAGE, runOf(account));
    const shares = asked.map(({ headers }) => headers['x-caller-share']);
    expect(shares[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(shares[1]).toBe(shares[0]);
    expect(shares[2]).not.toBe(shares[0]);
    expect(asked[0]?.body).toMatchObject({ urls: [URL_OF_PAGE], max_text_length: expect.any(Number) });
  });

  it('tell why a page cannot be read', async () => {
    const { read } = await webThatAnswers();
    expect(await read(URL_OF_PAGE, runOf('clients/ana'))).toEqual({
      refused: { code: 'page_paywalled', values: {} },
    });
  });

  it('wait their turn when the user sends too many', async () => {
    const { asked, read } = await webThatAnswers(429, 429);
    expect(await read(URL_OF_PAGE, runOf('clients/ana'))).toHaveProperty('refused');
    expect(asked).toHaveLength(3);
  });

  it('are lost when the service fails, or goes on refusing', async () => {
    const broken = await webThatAnswers(500);
    expect(await broken.read(URL_OF_PAGE, runOf('clients/ana'))).toEqual({ lost: 'unavailable' });
    await new Promise((resolve) => server.close(resolve));
    const busy = await webThatAnswers(429, 429, 429, 429, 429);
    expect(await busy.read(URL_OF_PAGE, runOf('clients/ana'))).toEqual({ lost: 'rate_limited' });
  });
});
