import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Platform } from '../../../src/foundation/platform.ts';
import { type BuiltService, buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { type FetchAnswer, web } from '../../../src/services/web/contract.ts';
import type { Extractor } from '../../../src/services/web/extract/extractor.ts';
import { webService } from '../../../src/services/web/service.ts';
import { webSettings } from '../../../src/services/web/settings.ts';
import { until } from '../../patience.ts';

const paragraph =
  'Guvernul a adoptat marți hotărârea privind plafonarea prețurilor, iar opoziția a anunțat că va contesta măsura la Curtea Constituțională. ';
const article = `<!doctype html><html lang="ro-RO"><head><meta charset="utf-8"><title>Prețurile au crescut - Ziarul</title>
<meta property="og:site_name" content="Ziarul"><meta property="article:published_time" content="2024-03-05T10:30:00+02:00">
<meta name="author" content="Ioana Popescu"><link rel="canonical" href="/stiri/preturi"></head><body><nav>Acasă | Sport</nav>
<article><h1>Prețurile au crescut</h1>${`<p>${paragraph.repeat(3)}</p>`.repeat(4)}<img src="/foto.jpg" alt="Piața"></article>
<footer>Copyright</footer></body></html>`;

const pages: Record<string, RequestListener> = {
  '/article': (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(article),
  '/moved': (_request, response) => response.writeHead(301, { location: '/article' }).end(),
  '/short': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<html><body><p>Doar atât.</p></body></html>'),
  '/plain': (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(paragraph.repeat(3)),
  '/pdf': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.7'),
  '/gone': (_request, response) => response.writeHead(410, { 'content-type': 'text/html' }).end('gone'),
  '/wall': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<title>Just a moment...</title><body><p>Checking your browser before accessing the site.</p>'),
  '/challenge': (_request, response) =>
    response.writeHead(403, { 'content-type': 'text/html', 'cf-mitigated': 'challenge' }).end('no'),
  '/hang': (_request, response) => {
    hanging.push(response);
  },
  '/deep': (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<html><body>${'<div>'.repeat(3000)}x`),
};
const hanging: ServerResponse[] = [];
const server = createServer((request, response) => {
  const listener = pages[request.url ?? ''];
  if (listener === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('not found');
  else listener(request, response);
});

const platform: Platform = {
  home: '/nonexistent',
  version: '9.9.9',
  publicUrl: 'http://127.0.0.1:8080',
  log: pino({ level: 'silent' }),
  metrics: new Registry(),
  database: () => Promise.reject(new Error('not needed')),
};

let origin: string;
let built: BuiltService<object>;
const idleExtractor: Extractor = {
  extract: () => Promise.reject(new Error('no page is read')),
  probe: async () => {},
  close: async () => {},
};
const build = (environment: Record<string, string>, replace: { extractor?: Extractor } = {}) =>
  buildService(
    webService,
    parseSettings(webSettings, {
      WEB_EVIDENCE_INDEX: 'false',
      WEB_CHROMIUM: 'none',
      WEB_HOST_RATE_RPS: '1000',
      WEB_HOST_RATE_BURST: '1000',
      ...environment,
    }),
    { ...platform, metrics: new Registry() },
    replace,
  );

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  built = await build({
    WEB_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${port}`,
    WEB_RATE_LIMIT_RPS: '1000',
    WEB_RATE_LIMIT_BURST: '1000',
  });
});
afterAll(async () => {
  await built.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function post(
  payload: unknown,
  target: BuiltService<object> = built,
  headers: Record<string, string> = {},
) {
  const reply = await target.app.inject({
    method: 'POST',
    url: '/v1/fetch',
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
  return { status: reply.statusCode, headers: reply.headers, body: reply.json() };
}

async function fetchPages(paths: string[], more: Record<string, unknown> = {}): Promise<FetchAnswer> {
  const { status, body } = await post({ urls: paths.map((path) => `${origin}${path}`), ...more });
  expect(status).toBe(200);
  return web.operations.fetch.answer.parse(body);
}

describe('POST /v1/fetch', () => {
  it('answers text, hash, chain and metadata of a page', async () => {
    const answer = await fetchPages(['/article']);
    expect(answer).toMatchObject({ total_fetched: 1, total_failed: 0, failed_urls: [] });
    const [page] = answer.pages;
    expect(page).toMatchObject({
      url: `${origin}/article`,
      final_url: `${origin}/article`,
      title: 'Prețurile au crescut',
      html: null,
      extraction_method: 'http',
      fallback_chain: [{ method: 'http', success: true, error: null, message: null, status_code: 200 }],
      status_code: 200,
      content_type: 'text/html',
      text_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      metadata: {
        title: 'Prețurile au crescut',
        publisher: 'Ziarul',
        author: 'Ioana Popescu',
        published_at: '2024-03-05T10:30:00+02:00',
        published_at_source: 'meta',
        language: 'ro',
        canonical_url: `${origin}/stiri/preturi`,
        images: [{ url: `${origin}/foto.jpg`, alt: 'Piața', source: 'article' }],
        flags: { paywalled: false, satire: false, sponsored: false, fact_check: false },
        text_source: 'article',
      },
    });
    expect(page?.text?.split('\n')).toHaveLength(4);
    expect(page?.text).not.toMatch(/Copyright|Acasă/);
  });

  it('follows redirects and names both addresses', async () => {
    const { pages: answered } = await fetchPages(['/moved']);
    expect(answered[0]).toMatchObject({ url: `${origin}/moved`, final_url: `${origin}/article` });
  });

  it('leaves out what is not wanted and adds the source that is', async () => {
    const wanted = { extract_text: false, extract_metadata: false, include_html: true };
    const { pages: answered } = await fetchPages(['/article'], wanted);
    expect(answered[0]).toMatchObject({ text: null, text_hash: null, metadata: null, html: article });
  });

  it('reads plain text', async () => {
    const { pages: answered } = await fetchPages(['/plain']);
    expect(answered[0]).toMatchObject({
      text: paragraph.repeat(3).trim(),
      content_type: 'text/plain',
      title: null,
    });
  });

  it('looks further when the text is short, says that in vain, and still gives the page', async () => {
    const { pages: answered } = await fetchPages(['/short']);
    expect(answered[0]?.text).toBe('Doar atât.');
    expect(answered[0]?.fallback_chain.map(({ method, error }) => [method, error])).toEqual([
      ['http', 'text_too_short'],
      ['browse', 'unavailable'],
      ['vision', 'unavailable'],
    ]);
    const { pages: content } = await fetchPages(['/short'], { min_text_length: 5 });
    expect(content[0]?.fallback_chain).toHaveLength(1);
  });

  it('does not pretend to browse or see', async () => {
    const answer = await fetchPages(['/article'], { method: 'browse' });
    expect(answer.failed_urls[0]).toMatchObject({
      error: 'unavailable',
      fallback_chain: [
        { method: 'browse', error: 'unavailable' },
        { method: 'vision', error: 'unavailable' },
      ],
    });
  });

  it('keeps the order of addresses and tells failures apart', async () => {
    const paths = ['/pdf', '/gone', '/missing', '/wall', '/challenge', '/deep'];
    const { failed_urls, pages: answered, total_failed } = await fetchPages([...paths, '/article']);
    expect(
      failed_urls.map(({ url, error, status_code }) => [url.replace(origin, ''), error, status_code]),
    ).toEqual([
      ['/pdf', 'extraction_failed', 200],
      ['/gone', 'http_status', 410],
      ['/missing', 'http_status', 404],
      ['/wall', 'bot_wall', 200],
      ['/challenge', 'bot_wall', 403],
      ['/deep', 'extraction_failed', 200],
    ]);
    expect([total_failed, answered.length]).toEqual([6, 1]);
  });

  it('refuses private addresses at once and tries no other method on them', async () => {
    const { body } = await post({
      urls: ['http://10.0.0.1/', 'http://127.0.0.1:1/', 'file:///etc/passwd', 'nonsense'],
    });
    const answer = web.operations.fetch.answer.parse(body);
    expect(answer.failed_urls.map(({ error, fallback_chain }) => [error, fallback_chain.length])).toEqual(
      Array(4).fill(['url_not_allowed', 1]),
    );
  });

  it('ends a page after its time', async () => {
    const answer = await fetchPages(['/hang'], { timeout_seconds: 1 });
    expect(answer.failed_urls[0]).toMatchObject({ error: 'timeout', status_code: null });
  });

  it('reads many addresses, more than are read at once', async () => {
    const answer = await fetchPages(Array(12).fill('/article'), { parallel_fetches: 3 });
    expect(answer.total_fetched).toBe(12);
  });

  const wrong: Array<[string, unknown]> = [
    ['no addresses', {}],
    ['an empty list', { urls: [] }],
    ['too many addresses', { urls: Array(51).fill('http://example.org/') }],
    ['no list', { urls: 'http://example.org/' }],
    ['a method of its own', { urls: ['http://example.org/'], method: 'curl' }],
    ['no time', { urls: ['http://example.org/'], timeout_seconds: 0.5 }],
    ['too much time', { urls: ['http://example.org/'], timeout_seconds: 121 }],
    ['too many at once', { urls: ['http://example.org/'], parallel_fetches: 21 }],
    ['an array', []],
  ];
  it.each(wrong)('refuses %s', async (_case, payload) => {
    const { status, body } = await post(payload);
    expect(status).toBe(422);
    expect(body).toMatchObject({
      detail: { error: 'validation_error', message: expect.any(String), provider: null },
    });
  });

  it('refuses what is no JSON', async () => {
    expect(await post('{"urls":')).toMatchObject({
      status: 400,
      body: { detail: { error: 'validation_error' } },
    });
  });
});

describe('limits and tokens', () => {
  it('asks for a token when tokens are set', async () => {
    const guarded = await build({ WEB_API_TOKENS: 'first, second' });
    const payload = { urls: ['http://10.0.0.1/'] };
    for (const authorization of ['', 'Bearer wrong', 'Basic second']) {
      const refused = await post(payload, guarded, { authorization });
      expect(refused).toMatchObject({
        status: 401,
        body: { detail: { error: 'authentication_required', provider: null } },
      });
      expect(refused.headers['www-authenticate']).toBe('Bearer');
    }
    expect((await post(payload, guarded, { authorization: 'Bearer second' })).status).toBe(200);
    for (const url of ['/health', '/ready', '/v1/info']) {
      expect((await guarded.app.inject({ method: 'GET', url })).statusCode).toBe(200);
    }
    await guarded.close();
  });

  it('limits the rate of the process', async () => {
    const limited = await build({ WEB_RATE_LIMIT_RPS: '0.01', WEB_RATE_LIMIT_BURST: '2' });
    const statuses: number[] = [];
    for (let turn = 0; turn < 3; turn++)
      statuses.push((await post({ urls: ['http://10.0.0.1/'] }, limited)).status);
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await post({ urls: ['http://10.0.0.1/'] }, limited);
    expect(refused.body).toMatchObject({ detail: { error: 'rate_limit_exceeded' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await limited.close();
  });

  it('takes no more requests than it can work on', async () => {
    const narrow = await build({
      WEB_MAX_CONCURRENT_REQUESTS: '1',
      WEB_MAX_WAITING_REQUESTS: '0',
      WEB_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
    });
    const before = hanging.length;
    const first = post({ urls: [`${origin}/hang`] }, narrow);
    await until(() => hanging.length > before);
    expect(await post({ urls: [`${origin}/article`] }, narrow)).toMatchObject({
      status: 503,
      body: { detail: { error: 'service_unavailable' } },
    });
    hanging.at(-1)?.destroy();
    expect((await first).status).toBe(200);
    await narrow.close();
  });

  it('does not start with an allow-list that it cannot read', () => {
    expect(() => parseSettings(webSettings, { WEB_ALLOWED_PRIVATE_HOSTS: 'http://intranet/' })).toThrow(
      'WEB_ALLOWED_PRIVATE_HOSTS: "http://intranet/" is none of',
    );
  });
});

describe('the other operations', () => {
  const get = async (url: string) => (await built.app.inject({ method: 'GET', url })).json();

  it('tell that no thread extracts pages', async () => {
    const probe = () => Promise.reject(new Error('the queue of pages is full'));
    const broken = await build({}, { extractor: { ...idleExtractor, probe } });
    expect((await broken.app.inject('/health')).json()).toEqual({
      status: 'unhealthy',
      providers: [{ name: 'extraction', healthy: false, message: 'the queue of pages is full' }],
    });
    await broken.close();
  });

  it('tell whether the search server works', async () => {
    const engines = JSON.stringify({ engines: [{ name: 'wikipedia', enabled: true }] });
    pages['/search-server/config'] = (_request, response) => response.end(engines);
    const searching = await build({ WEB_SEARXNG_URL: `${origin}/search-server/` });
    expect((await searching.app.inject('/health')).json()).toEqual({
      status: 'healthy',
      providers: [{ name: 'searxng', healthy: true, message: null }],
    });
    delete pages['/search-server/config'];
    expect((await searching.app.inject('/health')).json()).toEqual({
      status: 'unhealthy',
      providers: [{ name: 'searxng', healthy: false, message: 'searxng: answered with status 404' }],
    });
    await searching.close();
  });

  it('tell health, readiness and what is offered', async () => {
    expect(await get('/health')).toEqual({
      status: 'healthy',
      providers: [{ name: 'extraction', healthy: true, message: null }],
    });
    expect(await get('/ready')).toEqual({ ready: true });
    expect(await get('/v1/info')).toMatchObject({
      resource: { name: 'web' },
      functions: expect.arrayContaining([
        expect.objectContaining({ name: 'fetch', method: 'POST', path: '/v1/fetch' }),
      ]),
    });
  });
});
