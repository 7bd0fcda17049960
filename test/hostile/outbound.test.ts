import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCampaign } from '../campaign.ts';
import {
  describeWithChromium,
  type RunningWeb,
  type Site,
  serveSite,
  startWeb,
} from '../services/web/running-web.ts';

/**
 * What a hostile site tries on the machine that reads it. `inner` is a service of the private network that must not be reached: it counts
 * its requests. Each way in is tried twice, behind the guard and with `inner` allowed: the second shows that the attack works.
 */
const MIB = 1024 * 1024;
const SECRET = 'the secret of the inner service';
const TEXT = 'A harmless article about bridges, prices and the council, which voted on Tuesday. '.repeat(6);

let inner: Site;
let evil: Site;
let guarded: RunningWeb;
let open: RunningWeb;

/** Pages of the hostile site; they name the inner service by its address. */
const pages: Record<string, string | RequestListener> = {};
const redirect =
  (to: () => string, status = 302): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { location: to() }).end();

const PROGRAM = Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0', 'latin1');
const answer =
  (type: string, make: () => Buffer, encoding?: string): RequestListener =>
  (_request, response) =>
    response
      .writeHead(200, {
        'content-type': type,
        ...(encoding !== undefined && { 'content-encoding': encoding }),
      })
      .end(make());

beforeAll(async () => {
  inner = await serveSite({
    '/': `<article><p>${SECRET} ${TEXT}</p></article>`,
    '/secret.js': `document.title = ${JSON.stringify(SECRET)}`,
    '/data': (_request, response) =>
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end(SECRET),
  });
  evil = await serveSite(pages);
  const at = (path = '/') => `${inner.origin}${path}`;
  Object.assign(pages, {
    '/article': `<article><p>${TEXT}</p></article>`,
    '/redirect': redirect(at),
    '/redirect-twice': redirect(() => `${evil.origin}/redirect`, 307),
    '/redirect-to-file': redirect(() => 'file:///etc/passwd'),
    '/redirect-with-credentials': redirect(() => `http://a:b@127.0.0.1:${inner.port}/`),
    '/redirect-for-ever': redirect(() => `/redirect-for-ever?${Math.random()}`),
    '/redirect-to-metadata': redirect(() => 'http://169.254.169.254/latest/meta-data/'),
    '/canonical': `<link rel="canonical" href="${at()}"><meta property="og:image" content="${at('/a.png')}"><link rel="icon" href="${at('/i.ico')}"><article><p>${TEXT}</p></article>`,
    '/image': `<p>${TEXT}</p><img src="${at('/a.png')}">`,
    '/frame': `<p>${TEXT}</p><iframe src="${at()}"></iframe>`,
    '/script': `<p>${TEXT}</p><script src="${at('/secret.js')}"></script>`,
    '/style': `<link rel="stylesheet" href="${at('/a.css')}"><p>${TEXT}</p>`,
    '/prefetch': `<link rel="prefetch" href="${at('/p')}"><link rel="preconnect" href="${at('/q')}"><p>${TEXT}</p>`,
    '/fetch': `<p>${TEXT}</p><p id="x"></p><script>fetch('${at('/data')}').then(r => r.text()).then(t => { document.getElementById('x').textContent = t })</script>`,
    '/beacon': `<p>${TEXT}</p><script>navigator.sendBeacon('${at('/beacon')}', 'x')</script>`,
    '/form': `<p>${TEXT}</p><form action="${at('/form')}" method="post"></form><script>document.forms[0].submit()</script>`,
    '/location': `<p>${TEXT}</p><script>location.href = '${at()}'</script>`,
    '/refresh': `<meta http-equiv="refresh" content="0;url=${at()}"><p>${TEXT}</p>`,
    '/popup': `<p>${TEXT}</p><script>window.open('${at()}')</script>`,
    '/socket': `<p>${TEXT}</p><script>new WebSocket('${at('/socket').replace('http', 'ws')}')</script>`,
    '/worker': `<p>${TEXT}</p><script>new Worker(URL.createObjectURL(new Blob(["fetch('${at('/worker')}')"])))</script>`,
    '/registering': `<p>${TEXT}</p><script>navigator.serviceWorker.register('/service-worker.js')</script>`,
    '/service-worker.js': answer('text/javascript', () => Buffer.from('')),
    '/browser-redirect': redirect(at),
    '/image-redirect': `<p>${TEXT}</p><script src="/redirect"></script>`,
    '/file': `<p>${TEXT}</p><iframe src="file:///etc/passwd"></iframe><script>location.href = 'file:///etc/passwd'</script>`,
    '/bomb': answer('text/html', () => gzipSync(Buffer.alloc(200 * MIB, 32)), 'gzip'),
    '/large': answer('text/html', () => Buffer.alloc(12 * MIB, 97)),
    '/bomb-within': '<script src="/bomb"></script><p>a</p>',
    '/program': answer('application/x-executable', () => PROGRAM),
    '/disguised': answer('text/html', () => PROGRAM),
    '/drip': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const timer = setInterval(() => response.write('x'), 200);
      response.on('close', () => clearInterval(timer));
    },
    '/busy': '<p>a</p><script>for (;;) {}</script>',
    '/dialogs': `<p>${TEXT}</p><script>alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay'</script>`,
    '/circle': `<p>${TEXT}</p><script>location.href = '/circle?' + Math.random()</script>`,
  } satisfies typeof pages);
  guarded = await startWeb([`127.0.0.1:${evil.port}`]);
  open = await startWeb([`127.0.0.1:${evil.port}`, `127.0.0.1:${inner.port}`]);
});
afterAll(() => Promise.all([guarded.close(), open.close(), inner.close(), evil.close()]));

const first = async (web: RunningWeb, url: string, more = {}) => {
  const { pages: read, failed_urls: failed } = await web.fetch([url], { auto_fallback: false, ...more });
  return { page: read[0], error: failed[0]?.error ?? null };
};

describe('a plain fetch', () => {
  it.each(['/redirect', '/redirect-twice'])('does not follow %s into the private network', async (path) => {
    inner.asked.length = 0;
    expect((await first(guarded, `${evil.origin}${path}`)).error).toBe('url_not_allowed');
    expect(inner.asked).toEqual([]);
    expect((await first(open, `${evil.origin}${path}`)).page?.text).toContain(SECRET);
  });

  it.each(['/redirect-to-file', '/redirect-with-credentials', '/redirect-to-metadata'])(
    'does not follow %s, whatever is allowed',
    async (path) => {
      for (const web of [guarded, open]) {
        expect((await first(web, `${evil.origin}${path}`)).error).toBe('url_not_allowed');
      }
    },
  );

  it('asks the private network for nothing that a page names', async () => {
    inner.asked.length = 0;
    const { page } = await first(guarded, `${evil.origin}/canonical`);
    expect(page?.metadata).toMatchObject({ canonical_url: `${inner.origin}/` });
    expect(inner.asked).toEqual([]);
  });

  it('does not ask for robots.txt within the private network, neither directly nor by a redirect', async () => {
    inner.asked.length = 0;
    expect((await first(guarded, `${inner.origin}/`)).error).toBe('url_not_allowed');
    const luring = await serveSite({
      '/robots.txt': redirect(() => `${inner.origin}/robots.txt`),
      '/': `<p>${TEXT}</p>`,
    });
    const web = await startWeb([`127.0.0.1:${luring.port}`]);
    expect((await first(web, `${luring.origin}/`)).error).toBeNull();
    expect(inner.asked).toEqual([]);
    await web.close();
    await luring.close();
  });

  const bombs: readonly [string, string, object?][] = [
    ['/bomb', 'too_large'],
    ['/large', 'too_large'],
    ['/redirect-for-ever', 'too_many_redirects'],
    ['/drip', 'timeout', { timeout_seconds: 1 }],
    ['/program', 'unsupported_type'],
    ['/disguised', 'unsupported_type'],
  ];
  it.each(bombs)('gives up %s as %s', async (path, error, more) => {
    expect((await first(guarded, `${evil.origin}${path}`, more)).error).toBe(error);
    expect((await first(guarded, `${evil.origin}/article`)).page?.text).toContain('bridges');
  });
});

describeWithChromium('a page in the browser', () => {
  let browsing: RunningWeb;
  let openBrowsing: RunningWeb;
  beforeAll(async () => {
    browsing = await startWeb([`127.0.0.1:${evil.port}`], {});
    openBrowsing = await startWeb([`127.0.0.1:${evil.port}`, `127.0.0.1:${inner.port}`], {});
  });
  afterAll(() => Promise.all([browsing.close(), openBrowsing.close()]));
  const browse = (web: RunningWeb, path: string, seconds = 60) =>
    first(web, `${evil.origin}${path}`, { method: 'browse', timeout_seconds: seconds });
  const attacks = startCampaign('hostile pages in the browser');

  /** Ways by which a page makes a browser ask; what is never loaded has no proof that it would work. */
  const ways: readonly [path: string, isProvable: boolean][] = [
    ['/frame', true],
    ['/script', true],
    ['/style', true],
    ['/fetch', true],
    ['/form', true],
    ['/location', true],
    ['/refresh', true],
    ['/worker', true],
    ['/browser-redirect', true],
    ['/image-redirect', true],
    ['/image', false],
    ['/prefetch', false],
    ['/beacon', false],
    ['/popup', false],
    ['/socket', false],
  ];
  const chosen = attacks.pick(ways, 3);
  it.each(chosen)('does not reach the private network by %s', async (path, isProvable) => {
    inner.asked.length = 0;
    const { page } = await browse(browsing, path);
    expect(inner.asked).toEqual([]);
    expect(page?.text ?? '').not.toContain(SECRET);
    if (!isProvable) return;
    await browse(openBrowsing, path);
    expect(inner.asked.length).toBeGreaterThan(0);
  });

  it('leaves no service worker behind', async () => {
    evil.asked.length = 0;
    expect((await browse(browsing, '/registering')).page?.text).toContain('bridges');
    expect(evil.asked.join()).toContain('/registering');
    expect(evil.asked.join()).not.toContain('/service-worker.js');
  });

  it('does not read files', async () => {
    const { page } = await browse(browsing, '/file');
    expect(page?.text ?? '').not.toContain('root:');
  });

  const bombs: readonly [string, readonly (string | null)[]][] = [
    ['/bomb', ['too_large']],
    ['/large', ['too_large']],
    ['/bomb-within', ['too_large', 'text_too_short']],
    ['/redirect-for-ever', ['too_many_redirects']],
    ['/circle', ['too_many_redirects']],
    ['/program', ['unsupported_type']],
    ['/redirect-to-file', ['connection_failed', 'url_not_allowed', 'unsupported_type']],
    ['/redirect-to-metadata', ['url_not_allowed']],
    ['/dialogs', [null]],
  ];
  const dropped = attacks.pick(bombs, 2);
  it.each(dropped)('is given up when it is %s, and the next is shown', async (path, errors) => {
    const { page, error } = await browse(browsing, path);
    expect(errors).toContain(error ?? page?.fallback_chain[0]?.error ?? null);
    expect((await browse(browsing, '/article')).page?.text).toContain('bridges');
  });

  it('that never rests is given up, and the next is shown', async () => {
    expect((await browse(browsing, '/busy', 5)).error).toBe('timeout');
    expect((await browse(browsing, '/article')).page?.text).toContain('bridges');
    attacks.summary(`${chosen.length} of ${ways.length} ways in, ${dropped.length} of ${bombs.length} bombs`);
  });
});
