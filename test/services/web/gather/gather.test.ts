import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltService, buildService } from '../../../../src/foundation/service.ts';
import { parseSettings } from '../../../../src/foundation/settings.ts';
import type { ClaimEntry } from '../../../../src/services/web/contract/evidence-index.ts';
import { web } from '../../../../src/services/web/contract.ts';
import type { IndexAccess } from '../../../../src/services/web/evidence-index/open-index.ts';
import { webService } from '../../../../src/services/web/service.ts';
import { webSettings } from '../../../../src/services/web/settings.ts';
import { forEachEngine, silent } from '../../../foundation/database/engines.ts';
import { until } from '../../../patience.ts';
import { packagedEncoder } from '../evidence-index/packaged-encoder.ts';

const CLAIM = 'Podul Carol al IV-lea a fost închis circulației în mai 2024.';
const filler = 'Primăria a cumpărat autobuze noi pentru liniile din cartierele de nord ale orașului. ';
const sentence = 'Podul Carol al IV-lea a fost închis circulației pe 6 mai 2024, a anunțat primăria.';
const agency = `${sentence} Lucrările de reparații ale tablierului vor dura opt luni, spun inginerii companiei de drumuri. Șoferii sunt îndrumați prin centura de vest, iar pietonii pot trece pe podul de lemn de lângă gară. Costul se ridică la douăsprezece milioane de lei, bani de la bugetul local și din fonduri europene.`;
const html = (title: string, text: string, language = 'ro') =>
  `<!doctype html><html lang="${language}"><head><title>${title}</title><meta property="og:site_name" content="${title} SA"></head><body><article><h1>${title}</h1>${text
    .split('\n')
    .map((line) => `<p>${line}</p>`)
    .join('')}</article></body></html>`;

/** Sites by path; all lie on one loopback server under several names. */
const pages: Record<string, string> = {
  '/ziar': html('Ziarul', `${filler.repeat(4)}\n${agency}\n${filler.repeat(3)}`),
  '/agentie': html('Agenția', agency),
  '/preluare': html('Preluarea', agency),
  '/indreptare': html(
    'Îndreptarea',
    agency.replace('a fost închis circulației pe', 'nu a fost închis circulației pe'),
  ),
  '/english': html(
    'The Paper',
    'The Charles IV bridge was closed to traffic in May 2024, the town hall said. Repairs of the deck will take eight months. Drivers use the western bypass instead.',
    'en',
  ),
  '/altceva': html(
    'Altceva',
    `Echipa de handbal a câștigat finala campionatului național. ${'Antrenorul a lăudat portarul și publicul din tribune. '.repeat(8)}`,
  ),
  '/judecat': html(
    'Pagina judecată',
    `${sentence} ${'Se ascunde adevărul despre acest pod, iar vinovații tac de ani de zile. '.repeat(5)}`,
  ),
  '/oglinda': html(
    'Oglinda',
    `${sentence} ${'Se ascunde adevărul despre acest pod, iar vinovații tac de ani de zile. '.repeat(5)}`,
  ),
};

const reviewed: ClaimEntry = {
  kind: 'claim',
  key: 'bridge',
  claims: [
    { text: 'Podul Carol al IV-lea a fost închis în 2024.', language: 'ro' },
    { text: 'The Charles IV bridge was closed in 2024.', language: 'en' },
  ],
  rating: 'true',
  rating_text: null,
  topic: null,
  finding: {
    en: 'The bridge was closed for repairs in 2024.',
    ro: 'Podul a fost închis pentru reparații în 2024.',
  },
  reviews: ['one', 'two'].map((name) => ({
    title: `Review ${name}`,
    publisher: name,
    url: `https://${name}.example/bridge`,
    language: 'ro',
    published_at: '2024-06-01',
    stance: 'supports',
    passage: `Verificarea ${name} arată că podul Carol al IV-lea a fost închis în mai 2024.`,
  })),
};

interface World {
  readonly origin: string;
  readonly searched: { query: string; language: string | null }[];
  results: string[];
  searxng: RequestListener;
}

function answerSearch(world: World): RequestListener {
  return (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x.invalid');
    world.searched.push({ query: searchParams.get('q') ?? '', language: searchParams.get('language') });
    const results = world.results.map((path) => ({
      url: path.startsWith('http') ? path : `${world.origin}${path}`,
      title: path,
      content: 'un fragment',
      publishedDate: null,
    }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results }));
  };
}

async function startWorld(): Promise<World & { stop(): Promise<void> }> {
  const hanging: ServerResponse[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '', 'http://x.invalid').pathname;
    if (path === '/search') return void world.searxng(request, response);
    if (path === '/hang') return void hanging.push(response);
    const page = pages[path];
    if (page === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('nothing');
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world: World = { origin, searched: [], results: [], searxng: () => undefined };
  world.searxng = answerSearch(world);
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(world, { stop });
}

const squashed = (text: string) => text.normalize('NFC').replace(/\s+/gu, ' ').trim();

forEachEngine((engine) => {
  const home = mkdtempSync(join(tmpdir(), 'limpede-gather-'));
  let world: Awaited<ReturnType<typeof startWorld>>;
  let built: BuiltService<{ index: IndexAccess }>;

  beforeAll(async () => {
    world = await startWorld();
    const settings = parseSettings(webSettings, {
      WEB_CHROMIUM: 'none',
      WEB_STARTER_SET: 'false',
      WEB_SEARXNG_URL: world.origin,
      WEB_ALLOWED_PRIVATE_HOSTS: new URL(world.origin).host,
      WEB_HOST_RATE_RPS: '1000',
      WEB_HOST_RATE_BURST: '1000',
      WEB_RATE_LIMIT_RPS: '1000',
      WEB_RATE_LIMIT_BURST: '1000',
      EMBEDDINGS_URL: 'none',
      DOMAIN_CHECK_URL: 'none',
    });
    const platform = {
      home,
      version: '9.9.9',
      publicUrl: 'http://127.0.0.1:8080',
      log: silent,
      metrics: new Registry(),
      database: async () => engine.database(),
    };
    built = await buildService(webService, settings, platform, { encoder: packagedEncoder() });
    await built.begin();
    await until(() => built.needs.index.current() !== undefined);
  });
  afterAll(async () => {
    await built.close();
    await world.stop();
    rmSync(home, { recursive: true });
  });

  async function call(body: Record<string, unknown>, headers: Record<string, string> = {}) {
    const reply = await built.app.inject({
      method: 'POST',
      url: '/v1/gather',
      headers: { 'content-type': 'application/json', ...headers },
      payload: JSON.stringify({ claim: CLAIM, ...body }),
    });
    return { status: reply.statusCode, body: reply.json() };
  }
  async function gathered(body: Record<string, unknown> = {}) {
    world.searched.length = 0;
    const reply = await call(body);
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    return web.operations.gather.answer.parse(reply.body);
  }

  it('asks in both languages, and gives the passages that bear on the claim', async () => {
    world.results = ['/altceva', '/ziar', '/english', '/gone'];
    const answer = await gathered();
    expect(answer.queries).toEqual(world.searched.map(({ query }) => query));
    expect(world.searched).toHaveLength(4);
    expect(world.searched[0]).toEqual({ query: CLAIM, language: 'ro' });
    expect(world.searched[1]).toMatchObject({ language: 'en', query: expect.stringMatching(/2024/) });
    for (const { query, language } of world.searched.slice(2)) {
      expect(language).toBe('ro');
      for (const word of ['Podul', 'Carol', 'IV-lea', '2024']) expect(query).toContain(word);
    }
    expect(answer.evidence.map(({ url }) => url)).toEqual([
      `${world.origin}/ziar`,
      `${world.origin}/english`,
    ]);
    const [first, second] = answer.evidence;
    expect(first).toMatchObject({
      title: 'Ziarul',
      publisher: 'Ziarul SA',
      language: 'ro',
      stance: null,
      credibility_score: null,
      fact_check: null,
      provenance: { extraction_method: 'http', providers: ['searxng'], origin: null },
    });
    expect(first?.snippet).toContain('închis circulației pe 6 mai 2024');
    expect(second?.snippet).toContain('closed to traffic in May 2024');
    expect(answer).toMatchObject({ total_urls_found: 4, total_pages_fetched: 3, total_evidence_items: 2 });
    expect(
      answer.stages.map(({ stage, success, items_processed, items_failed }) => [
        stage,
        success,
        items_processed,
        items_failed,
      ]),
    ).toEqual([
      ['search', true, 4, 0],
      ['fetch', true, 3, 1],
      ['evidence', true, 3, 0],
    ]);
    expect(answer.evidence_stats).toEqual({
      input_items: 3,
      after_dedup: 3,
      output_items: 2,
      duplicates_removed: 0,
      tokens_used: 0,
    });
  });

  it('quotes verbatim from the text whose hash it names', async () => {
    world.results = ['/ziar'];
    const { evidence } = await gathered();
    const reply = await built.app.inject({
      method: 'POST',
      url: '/v1/fetch',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ urls: [`${world.origin}/ziar`] }),
    });
    const text: string = reply.json().pages[0].text;
    expect(evidence[0]?.full_text_hash).toBe(createHash('sha256').update(squashed(text)).digest('hex'));
    for (const passage of evidence[0]?.passages ?? []) expect(text).toContain(passage.text);
  });

  it('folds copies of one text into one voice, unless told not to', async () => {
    world.results = ['/agentie', '/preluare', '/agentie?utm_source=x', '/english'];
    const { evidence, evidence_stats } = await gathered();
    expect(evidence).toHaveLength(2);
    expect(evidence.flatMap(({ copies }) => copies)).toHaveLength(1);
    expect(evidence_stats).toMatchObject({ input_items: 3, after_dedup: 2, duplicates_removed: 1 });
    expect((await gathered({ dedupe: false })).evidence).toHaveLength(3);
  });

  it('shows a copy that tells the point otherwise, and names whose copy it is', async () => {
    world.results = ['/agentie', '/indreptare'];
    const { evidence, evidence_stats } = await gathered();
    expect(evidence.map(({ url }) => new URL(url).pathname).sort()).toEqual(['/agentie', '/indreptare']);
    const denied = evidence.find(({ snippet }) => snippet.includes('nu a fost închis'));
    const other = evidence.find((item) => item !== denied);
    expect(other?.copies.map(({ url }) => url)).toEqual([denied?.url]);
    expect(denied?.copies.map(({ url }) => url)).toEqual([other?.url]);
    expect(evidence_stats.duplicates_removed).toBe(0);
  });

  it('takes neither the judged page nor its mirrors for evidence', async () => {
    world.results = ['/judecat', '/oglinda', '/ziar'];
    const judged_url = `${world.origin}/judecat?fbclid=1`;
    const urlsOf = async (body: Record<string, unknown>) =>
      (await gathered(body)).evidence.map(({ url }) => new URL(url).pathname);
    expect(await urlsOf({ judged_url })).not.toContain('/judecat');
    const text = `${sentence} ${'Se ascunde adevărul despre acest pod, iar vinovații tac de ani de zile. '.repeat(5)}`;
    expect(await urlsOf({ judged_url, judged_text: text })).toEqual(['/ziar']);
  });

  it('keeps to lists of sites and to the numbers that were asked for', async () => {
    world.results = ['/ziar', '/english'];
    expect((await gathered({ site_blocklist: ['127.0.0.1'] })).evidence).toEqual([]);
    expect((await gathered({ max_evidence_items: 1 })).evidence).toHaveLength(1);
    const { queries } = await gathered({ search_queries: ['podul carol', 'bridge'] });
    expect(queries).toEqual(['podul carol', 'bridge']);
  });

  it('refuses addresses that lead inside, and fetches the others', async () => {
    world.results = [
      'http://127.0.0.2:1/secret',
      'http://169.254.169.254/latest',
      'file:///etc/passwd',
      '/ziar',
    ];
    const { evidence, stages } = await gathered();
    expect(evidence.map(({ title }) => title)).toEqual(['Ziarul']);
    expect(stages[1]).toMatchObject({ success: true, items_processed: 1, items_failed: 2 });
  });

  it('answers with what there is when the time is over', async () => {
    world.results = ['/hang', '/ziar'];
    const { evidence, stages } = await gathered({
      timeout_seconds: 10,
      fetch_method: 'http',
      auto_fallback: false,
    });
    expect(evidence.map(({ title }) => title)).toEqual(['Ziarul']);
    expect(stages[1]).toMatchObject({ items_processed: 1, items_failed: 1 });
  });

  it('quotes a long document of the index where it bears on the claim, however far inside', async () => {
    const index = built.needs.index.current();
    const text = `${`${filler}\n`.repeat(400)}${sentence}\n${filler}`;
    const about = { title: 'Monitorul', publisher: 'Primăria', language: 'ro', published_at: '2024-05-07' };
    await index?.store({ operator: 'ana', name: 'long' }, [
      { kind: 'document', key: 'long', url: null, text, ...about },
    ]);
    world.results = [];
    const { evidence } = await gathered();
    expect(evidence[0]).toMatchObject({
      title: 'Monitorul',
      provenance: { extraction_method: 'index', origin: 'long' },
    });
    expect(evidence[0]?.snippet).toContain(sentence);
    expect(text).toContain(evidence[0]?.snippet);
    expect(evidence[0]?.full_text_hash).toBe(createHash('sha256').update(squashed(text)).digest('hex'));
    await index?.remove({ operator: 'ana', origin: 'long' });
  });

  it('gives reviews of a claim from the index, with what they decide', async () => {
    const index = built.needs.index.current();
    await index?.store({ operator: 'ana', name: 'reviews' }, [reviewed]);
    world.results = [];
    const { evidence } = await gathered();
    expect(evidence.map(({ url }) => url).sort()).toEqual([
      'https://one.example/bridge',
      'https://two.example/bridge',
    ]);
    expect(evidence[0]).toMatchObject({
      fact_check: { claim_key: 'bridge', rating: 'true', stance: 'supports', decides: true },
      provenance: { extraction_method: 'index', origin: 'reviews', providers: ['index'] },
    });
    expect(evidence[0]?.snippet).toMatch(/^Verificarea/);
    expect(evidence[0]?.relevance_score).toBeGreaterThan(0.5);
  });

  it('goes on with the index when the search server is down, and says so', async () => {
    world.searxng = (_request, response) => response.writeHead(500).end();
    const { evidence, stages } = await gathered();
    expect(evidence).toHaveLength(2);
    // The index answered, the one server did not.
    expect(stages[0]).toMatchObject({ success: true, items_failed: 1 });
    world.searxng = answerSearch(world);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a short claim', { claim: 'Scurt.' }],
    ['a long claim', { claim: 'a'.repeat(1001) }],
    ['too few results', { max_search_results: 4 }],
    ['too many items', { max_evidence_items: 51 }],
    ['too little time', { timeout_seconds: 9 }],
    ['too many fetches', { parallel_fetches: 11 }],
    ['an unknown method', { fetch_method: 'magic' }],
  ])('refuses %s', async (_name, body) => {
    expect(await call(body)).toMatchObject({
      status: 422,
      body: { detail: { error: 'validation_error', provider: null } },
    });
  });

  it('refuses the premium tier when nothing of it is set up', async () => {
    expect(await call({}, { 'x-search-tier': 'premium' })).toMatchObject({
      status: 503,
      body: { detail: { error: 'service_unavailable' } },
    });
  });
});
