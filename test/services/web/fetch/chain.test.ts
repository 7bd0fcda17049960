import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FetchAnswer } from '../../../../src/services/web/contract.ts';
import { pdfFile } from '../extract/pdf-file.ts';
import { describeWithChromium, type RunningWeb, type Site, serveSite, startWeb } from '../running-web.ts';

const SENTENCE =
  'Guvernul a adoptat marți hotărârea privind plafonarea prețurilor, iar opoziția o va contesta. ';
const TEXT = SENTENCE.repeat(5).trim();
const ARTICLE = `<!doctype html><title>Prețuri</title><article><h1>Prețuri</h1><p>${TEXT}</p></article>`;
/** The text stands in a script, as on pages that are made in the browser. */
const BY_SCRIPT = `<!doctype html><title>Aplicația</title><body><div id="app">You need to enable JavaScript to run this app.</div>
<script>document.getElementById('app').innerHTML = '<article><p>' + ${JSON.stringify(SENTENCE)}.repeat(5) + '</p></article>';</script>`;
const LETTERS = 'a picture of letters';

const sites: Site[] = [];
let site: Site;
let vision: Site;
const seen: { model: string; messages: { content: { type: string }[] }[] }[] = [];

beforeAll(async () => {
  site = await serveSite({
    '/robots.txt': (_request, response) =>
      response.end('User-agent: *\nDisallow: /private/\n\nUser-agent: Other\nDisallow: /\n'),
    '/article': ARTICLE,
    '/private/article': ARTICLE,
    '/to-private': (_request, response) => response.writeHead(302, { location: '/private/article' }).end(),
    '/by-script': BY_SCRIPT,
    '/canvas': `<!doctype html><title>${LETTERS}</title><body><canvas></canvas>`,
    '/cut': `<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script><article><p>Primele rânduri.</p></article>`,
    '/account': (_request, response) => response.writeHead(401).end('sign in'),
    '/pay': (_request, response) => response.writeHead(402).end('pay'),
    '/missing-in-browser': `<script>location.href = '/nowhere'</script><p>Un moment</p>`,
    '/report.pdf': (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/pdf' })
        .end(pdfFile(Array(5).fill('The council voted on Tuesday to repair bridges.'))),
    '/scan.pdf': (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdfFile(['1'])),
    '/fact-check': `<script type="application/ld+json">${JSON.stringify({
      '@type': 'ClaimReview',
      claimReviewed: 'Pământul este plat.',
      itemReviewed: { '@type': 'Claim', author: { name: 'Un blog' } },
      reviewRating: { alternateName: 'Fals', ratingValue: 1 },
      author: { name: 'Verificatorul' },
      url: 'https://verificator.example/plat',
      datePublished: '2024-03-05',
    })}</script>${ARTICLE}`,
  });
  vision = await serveSite({
    '/v1/models': (_request, response) => response.end(JSON.stringify({ data: [{ id: 'eyes' }] })),
    '/v1/chat/completions': (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push(JSON.parse(Buffer.concat(chunks).toString()));
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ choices: [{ message: { content: TEXT } }] }));
      });
    },
  });
  sites.push(site, vision);
});
afterAll(() => Promise.all(sites.map((each) => each.close())));

const chainOf = (answer: FetchAnswer) =>
  [...answer.pages, ...answer.failed_urls][0]?.fallback_chain.map(({ method, error }) => [method, error]);

describe('the chain without a browser', () => {
  let web: RunningWeb;
  beforeAll(async () => {
    web = await startWeb([`127.0.0.1:${site.port}`]);
  });
  afterAll(() => web.close());
  const fetch = (path: string, more = {}) => web.fetch([`${site.origin}${path}`], more);

  const chains: readonly [string, [string, string | null][]][] = [
    ['/article', [['http', null]]],
    [
      '/by-script',
      [
        ['http', 'needs_javascript'],
        ['browse', 'unavailable'],
        ['vision', 'unavailable'],
      ],
    ],
    ['/private/article', [['http', 'robots_disallowed']]],
    ['/to-private', [['http', 'robots_disallowed']]],
    ['/account', [['http', 'paywalled']]],
    ['/pay', [['http', 'paywalled']]],
    ['/nowhere', [['http', 'http_status']]],
    ['/report.pdf', [['http', null]]],
    ['/scan.pdf', [['http', 'text_too_short']]],
  ];
  it.each(chains)('of %s tells each attempt', async (path, chain) => {
    expect(chainOf(await fetch(path))).toEqual(chain);
  });

  it('marks a paywall, and gives what stands before it', async () => {
    const answer = await fetch('/cut');
    expect(chainOf(answer)).toEqual([['http', 'text_too_short']]);
    expect(answer.pages[0]).toMatchObject({
      text: 'Primele rânduri.',
      metadata: { flags: { paywalled: true } },
    });
  });

  it('reads fact-checks', async () => {
    const [page] = (await fetch('/fact-check')).pages;
    expect(page?.metadata).toMatchObject({
      flags: { fact_check: true },
      claim_reviews: [
        {
          claim: 'Pământul este plat.',
          claimant: 'Un blog',
          rating: 'Fals',
          reviewer: 'Verificatorul',
          url: 'https://verificator.example/plat',
          published_at: '2024-03-05',
        },
      ],
    });
  });

  it('lets a refused address fail alone', async () => {
    const answer = await web.fetch([
      `${site.origin}/article`,
      'http://10.0.0.1/',
      `${site.origin}/private/article`,
    ]);
    expect(answer.pages.map(({ url }) => url)).toEqual([`${site.origin}/article`]);
    expect(answer.failed_urls.map(({ error }) => error)).toEqual(['url_not_allowed', 'robots_disallowed']);
  });

  it('asks for robots.txt once', async () => {
    await fetch('/article');
    await fetch('/article');
    expect(site.asked.filter((path) => path === '/robots.txt').length).toBe(1);
  });

  it('cuts the text where it was asked to, and hashes the whole', async () => {
    const [whole] = (await fetch('/article')).pages;
    const [cut] = (await fetch('/article', { max_text_length: 20 })).pages;
    expect(cut).toMatchObject({
      text: whole?.text?.slice(0, 20),
      text_length: whole?.text?.length,
      text_hash: whole?.text_hash,
    });
  });
});

describe('the robots.txt of a host that is ill', () => {
  it('closes it while it answers 5xx', async () => {
    const ill = await serveSite({
      '/robots.txt': (_request, response) => response.writeHead(503).end(),
      '/article': ARTICLE,
    });
    const web = await startWeb([`127.0.0.1:${ill.port}`]);
    expect(chainOf(await web.fetch([`${ill.origin}/article`]))).toEqual([['http', 'robots_disallowed']]);
    expect(ill.asked).toEqual(['/robots.txt']);
    await web.close();
    await ill.close();
  });
});

describeWithChromium('the chain with a browser', () => {
  let web: RunningWeb;
  beforeAll(async () => {
    web = await startWeb([`127.0.0.1:${site.port}`], {});
  });
  afterAll(() => web.close());
  const fetch = (path: string, more = {}) =>
    web.fetch([`${site.origin}${path}`], { timeout_seconds: 60, ...more });

  it('shows pages that are made by their scripts', async () => {
    const answer = await fetch('/by-script');
    expect(chainOf(answer)).toEqual([
      ['http', 'needs_javascript'],
      ['browse', null],
    ]);
    expect(answer.pages[0]).toMatchObject({ text: TEXT, extraction_method: 'browse', status_code: 200 });
  });

  it('goes on to the vision model, and says that none is there', async () => {
    expect(chainOf(await fetch('/canvas', { extract_metadata: false }))).toEqual([
      ['http', 'text_too_short'],
      ['browse', 'text_too_short'],
      ['vision', 'unavailable'],
    ]);
  });

  it('takes a failed status of what is shown in the end as a failure', async () => {
    const answer = await fetch('/missing-in-browser', { method: 'browse', auto_fallback: false });
    expect(answer.failed_urls[0]).toMatchObject({ error: 'http_status', status_code: 404 });
  });

  it('says in health how the browser runs', async () => {
    const { providers } = (await web.built.app.inject('/health')).json();
    expect(providers).toContainEqual({
      name: 'browser',
      healthy: true,
      message: expect.stringMatching(/in its sandbox|without its sandbox/),
    });
  });

  it('reads the picture of a page by a vision model', async () => {
    const seeing = await startWeb([`127.0.0.1:${site.port}`], { VISION_URL: vision.origin });
    const answer = await seeing.fetch([`${site.origin}/canvas`], { timeout_seconds: 60 });
    await seeing.close();
    expect(chainOf(answer)).toEqual([
      ['http', 'text_too_short'],
      ['browse', 'text_too_short'],
      ['vision', null],
    ]);
    expect(answer.pages[0]).toMatchObject({ text: TEXT, extraction_method: 'vision' });
    expect(seen[0]?.model).toBe('eyes');
    expect(seen[0]?.messages[0]?.content.map(({ type }) => type)).toEqual(['text', 'image_url']);
  });
});
