import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/foundation/client.ts';
import { type BuiltService, buildService } from '../../src/foundation/service.ts';
import { parseSettings } from '../../src/foundation/settings.ts';
import { web } from '../../src/services/web/contract.ts';
import { webService } from '../../src/services/web/service.ts';
import { webSettings } from '../../src/services/web/settings.ts';
import { startCampaign } from '../campaign.ts';
import { until } from '../patience.ts';

const MIB = 1024 * 1024;
const SENTENCE = 'Consiliul local a votat miercuri bugetul pentru anul viitor, după o lungă dezbatere. ';
const STORY = `<title>Bugetul</title><article>${`<p>${SENTENCE.repeat(4)}</p>`.repeat(5)}</article>`;

/** Pages that are at fault themselves, by path; each is read, or given up by a reason of its own. */
const PAGES: Readonly<Record<string, { type?: string; make: () => string | Buffer }>> = {
  'a title of eight megabytes': { make: () => `<title>${'t'.repeat(8 * MIB)}</title>${STORY}` },
  'eight megabytes in every statement': {
    make: () => `<meta name="description" content="${'d'.repeat(8 * MIB)}">${STORY}`,
  },
  'a canonical address of eight megabytes': {
    make: () => `<link rel="canonical" href="https://a.example/${'c'.repeat(8 * MIB)}">${STORY}`,
  },
  'plain text of nine megabytes': { type: 'text/plain', make: () => 'ă '.repeat(3 * MIB) },
  'a charset that doubles every byte': {
    type: 'text/html; charset=hex',
    make: () => Buffer.alloc(9 * MIB, 60),
  },
  'a charset in twenty megabytes of letters': {
    type: 'text/plain; charset=base64',
    make: () => 'a'.repeat(9 * MIB),
  },
  'halves of characters': {
    type: 'text/html; charset=utf-16le',
    make: () => Buffer.alloc(4 * MIB, Buffer.from([0x00, 0xd8])),
  },
  'a hundred thousand nested elements': { make: () => `${'<div>'.repeat(100_000)}${STORY}` },
  'a hundred thousand pictures': { make: () => `<article>${'<img src="/a.png">'.repeat(100_000)}${STORY}` },
};

const dripping: { end: () => void }[] = [];
const drip: RequestListener = (request, response) => {
  // Rules that drip would hold up the pages of this site alone, all of them behind one request.
  if (request.url === '/robots.txt') return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': 'text/html' });
  const timer = setInterval(() => response.write('x'), 1000);
  dripping.push({ end: () => response.destroy() });
  response.on('close', () => clearInterval(timer));
};

/** Sites of which one drips: a host has few connections for all that read it. */
const sites: Server[] = [];
let origin: string;
let drippingOrigin: string;
let built: BuiltService<object>;
let client: Client<typeof web>;
const losses: unknown[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const site = createServer(listener);
  sites.push(site);
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  drippingOrigin = await serve(drip);
  origin = await serve((request, response) => {
    const page = PAGES[decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname.slice(1))];
    response.writeHead(200, { 'content-type': page?.type ?? 'text/html' }).end(page?.make() ?? STORY);
  });
  built = await buildService(
    webService,
    parseSettings(webSettings, {
      WEB_CHROMIUM: 'none',
      WEB_EVIDENCE_INDEX: 'false',
      WEB_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
      WEB_HOST_RATE_RPS: '1000',
      WEB_HOST_RATE_BURST: '1000',
      WEB_RATE_LIMIT_RPS: '1000',
      WEB_RATE_LIMIT_BURST: '1000',
    }),
    {
      home: '/nonexistent',
      version: '0.0.0',
      publicUrl: 'http://127.0.0.1',
      log: pino({ level: 'silent' }),
      metrics: new Registry(),
      database: () => Promise.reject(new Error('not needed')),
    },
  );
  const url = await built.app.listen({ port: 0, host: '127.0.0.1' });
  client = createClient(web, { name: 'web', url, timeoutMs: 110_000 });
});
afterAll(async () => {
  await client.close();
  await built.close();
  for (const site of sites) {
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
  }
});

const fetchAs = (user: string, url: string, more: { signal?: AbortSignal } = {}) =>
  client.fetch(
    {
      headers: { 'x-caller-share': user },
      body: {
        urls: [url],
        timeout_seconds: 100,
        auto_fallback: false,
        max_text_length: 100_000,
      },
    },
    { ...more, lost: (loss) => losses.push(loss) },
  );

describe('hostile pages of one user', () => {
  it('that drip leave places for others', async () => {
    const leaving = new AbortController();
    const hog = Array.from({ length: 25 }, () =>
      fetchAs('hog', `${drippingOrigin}/`, { signal: leaving.signal }),
    );
    // As many as one host gets connections; the others of this user wait for it.
    await until(() => dripping.length >= 2);
    const good = await fetchAs('ana', `${origin}/`);
    expect(good?.pages[0]?.text).toContain('Consiliul');
    leaving.abort();
    expect(await Promise.all(hog)).toEqual(Array(25).fill(undefined));
    for (const { end } of dripping) end();
  });

  it('that are nested without end do not make a good page too complex', async () => {
    const hog = Array.from({ length: 12 }, () =>
      fetchAs('hog', `${origin}/a hundred thousand nested elements`),
    );
    const good = await fetchAs('ana', `${origin}/`);
    expect(good?.pages[0]?.text).toContain('Consiliul');
    const answers = await Promise.all(hog);
    expect(answers.map((answer) => answer?.failed_urls[0]?.error)).toEqual(
      Array(12).fill('extraction_failed'),
    );
  });
});

describe('a page at fault', () => {
  const attacks = startCampaign('hostile pages over the web service');
  const chosen = attacks.pick(Object.keys(PAGES), 4);

  it.each(chosen)('with %s is told as the page, and the service is not lost', async (name) => {
    losses.length = 0;
    const answer = await fetchAs('ana', `${origin}/${name}`);
    expect(losses).toEqual([]);
    expect([answer?.pages.length, answer?.failed_urls.length].sort()).toEqual([0, 1]);
    const [page] = answer?.pages ?? [];
    expect(JSON.stringify(page?.metadata ?? '').length).toBeLessThan(100_000);
    expect((await fetchAs('ana', `${origin}/`))?.pages[0]?.text).toContain('Consiliul');
    if (name === chosen.at(-1)) attacks.summary(`${chosen.length} of ${Object.keys(PAGES).length} pages`);
  });
});
