import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { freePort } from '../src/cli/platform-access.ts';
import { type BenchedPlatform, startPlatformProcess } from './platform.ts';

/**
 * What one user's load costs another: the waits of small requests beside an article of nine megabytes, and the analyses of one
 * user beside a burst of another. Each figure stands beside its floor: the same requests in the same run with nothing else going on.
 */
const ROUNDS = 3;
const BURST_ROUNDS = 2;
const ARTICLE_BYTES = 9 * 1024 * 1024;
const BURST = 150;
const LONG_TEXT = 50_000;
const README_TEXT =
  'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share before it is deleted!';
const SENTENCE =
  'The council voted on Tuesday to repair 14 bridges before winter, the mayor said at a press conference. ';

const quantile = (values: number[], share: number) =>
  [...values].sort((one, two) => one - two)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  0;

const agent = new Agent({ connections: 256, headersTimeout: 0, bodyTimeout: 0 });

/** Sends a request and reads its answer to the end. */
async function call(url: string, body?: unknown, headers: Record<string, string> = {}): Promise<number> {
  const answer = await request(url, {
    dispatcher: agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  await answer.body.dump({ limit: 256 * 1024 * 1024 });
  return answer.statusCode;
}

/** Waits of a call that is repeated until the work beside it ends. */
async function waitsBeside(work: Promise<unknown>, once: () => Promise<unknown>): Promise<number[]> {
  const waits: number[] = [];
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  while (!over) {
    const at = performance.now();
    await once();
    waits.push(performance.now() - at);
    await pause(5);
  }
  await ended;
  return waits;
}

const paragraphs = (bytes: number) =>
  `<p>${SENTENCE.repeat(8)}</p>\n`.repeat(Math.ceil(bytes / (8 * SENTENCE.length + 8)));

async function serveSite(): Promise<{ origin: string; server: Server }> {
  const pages: Record<string, string> = {
    '/small': `<title>Bridges</title><article>${paragraphs(4_000)}</article>`,
    '/large': `<title>All bridges</title><article>${paragraphs(ARTICLE_BYTES)}</article>`,
  };
  const server = createServer((incoming, response) => {
    const page = pages[incoming.url ?? ''];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const row = (name: string, floor: number, beside: number) =>
  console.log(`| ${name} | ${floor.toFixed(1)} | ${beside.toFixed(1)} | ${(beside / floor).toFixed(1)}x |`);

/** The longest wait of others while the web service reads a very large article. */
async function besideArticle(platform: BenchedPlatform, web: string, origin: string): Promise<void> {
  const fetchAs = (user: string, path: string) =>
    call(`${web}/v1/fetch`, { urls: [`${origin}${path}`] }, { 'x-caller-share': user });
  const analyze = (path: string) =>
    call(
      `${platform.url}/agent-v3/api/v3/pipeline/analyze`,
      { media_type: 'url', url: `${origin}${path}` },
      { authorization: `Bearer ${platform.token}` },
    );
  const others: [string, () => Promise<unknown>][] = [
    ['`/v1/info` of the web service', () => call(`${web}/v1/info`)],
    ['`/v1/fetch` of a small page', () => fetchAs('other', '/small')],
  ];
  const works: [string, () => Promise<unknown>][] = [
    ['its fetch', () => fetchAs('reader', '/large')],
    ['its analysis', () => analyze('/large')],
  ];
  for (const [, once] of others) for (let warm = 0; warm < 10; warm++) await once();
  for (const [what, work] of works) {
    await work();
    for (const [name, once] of others) {
      const floors: number[] = [];
      const besides: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const started = performance.now();
        const waits = await waitsBeside(work(), once);
        besides.push(Math.max(...waits));
        floors.push(Math.max(...(await waitsBeside(pause(performance.now() - started), once))));
      }
      row(`longest wait of ${name} beside ${what}, ms`, Math.max(...floors), Math.max(...besides));
    }
  }
}

/** Latencies of one user's analyses while another sends everything at once. */
async function besideBurst(platform: BenchedPlatform): Promise<void> {
  const other = await platform.tokenOf('other');
  const url = `${platform.url}/agent-v3/api/v3/pipeline/analyze`;
  const analyze = (token: string, text: string) =>
    call(url, { media_type: 'text', text }, { authorization: `Bearer ${token}` });
  const long = (SENTENCE + README_TEXT).repeat(LONG_TEXT).slice(0, LONG_TEXT);
  for (let warm = 0; warm < 10; warm++) await analyze(other, README_TEXT);
  const alone: number[] = [];
  const beside: number[] = [];
  const statuses = new Map<number, number>();
  for (let round = 0; round < BURST_ROUNDS; round++) {
    const burst = Promise.all(
      Array.from({ length: BURST }, async (_, index) => {
        const status = await analyze(platform.token, `Report ${round}-${index}. ${long}`.slice(0, LONG_TEXT));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }),
    );
    beside.push(...(await waitsBeside(burst, () => analyze(other, `${README_TEXT} ${Math.random()}`))));
    alone.push(...(await waitsBeside(pause(2_000), () => analyze(other, `${README_TEXT} ${Math.random()}`))));
  }
  row(`p50 of the other's analyses beside ${BURST} at once, ms`, quantile(alone, 0.5), quantile(beside, 0.5));
  row(
    `p95 of the other's analyses beside ${BURST} at once, ms`,
    quantile(alone, 0.95),
    quantile(beside, 0.95),
  );
  console.log(
    `\n${beside.length} analyses of the other beside the bursts, ${alone.length} without; answers to the bursts: ${JSON.stringify(Object.fromEntries(statuses))}.`,
  );
}

const { origin, server } = await serveSite();
const port = String(await freePort());
const platform = await startPlatformProcess({
  WEB_PORT: port,
  WEB_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
  WEB_HOST_RATE_RPS: '10000',
  WEB_HOST_RATE_BURST: '10000',
  WEB_RATE_LIMIT_RPS: '100000',
  WEB_RATE_LIMIT_BURST: '100000',
});
try {
  console.log('| subject | floor | beside | ratio |\n|---|--:|--:|--:|');
  await besideArticle(platform, `http://127.0.0.1:${port}`, origin);
  await besideBurst(platform);
} finally {
  await platform.stop();
  await agent.close();
  server.closeAllConnections();
  server.close();
}
