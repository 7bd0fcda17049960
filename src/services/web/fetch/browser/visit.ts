import type { Browser, BrowserContext, Page, Request, Response, Route } from 'playwright-core';
import { parseAddress } from '../../../../foundation/http/web-address.ts';
import type { FilteringProxy } from '../../../../foundation/http.ts';
import type { FetchError } from '../../contract.ts';

/** A page as a browser shows it. */
export interface RenderedPage {
  readonly finalUrl: string;
  readonly status: number;
  readonly html: string;
  /** The page as people see it, when it was asked for. */
  readonly picture: Buffer | undefined;
}

/** What one visit is to bring, and its limits. */
export interface VisitOptions {
  readonly userAgent: string;
  readonly language: string;
  readonly withPicture: boolean;
  /** Decoded bytes of everything that the page loads. */
  readonly decodedBytes: number;
  readonly timeoutMs: number;
  /** Closes the page, whatever it is doing. */
  readonly signal: AbortSignal;
}

/** A page that could not be shown. */
export class VisitError extends Error {
  readonly error: FetchError;
  readonly status: number | null;

  constructor(error: FetchError, message: string, status: number | null = null) {
    super(message);
    this.name = 'VisitError';
    this.error = error;
    this.status = status;
  }
}

const tooLarge = () => new VisitError('too_large', 'The answer is larger than the limit.');

/** What a page may load: nothing that shows no text, and nothing that changes something elsewhere. */
const UNREAD_RESOURCES = new Set([
  'media',
  'font',
  'texttrack',
  'eventsource',
  'websocket',
  'manifest',
  'ping',
]);
const METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST']);
const REDIRECT_LIMIT = 5;
/** Pages may send their readers on by script; more often than this is a circle. */
const NAVIGATION_LIMIT = 10;
/** Longest wait for a page to have loaded what it shows, in milliseconds; many never come to rest. */
const REST_MS = 4_000;
const VIEWPORT = { width: 1280, height: 1600 };
const PICTURE_QUALITY = 70;

const hostOfPage = (address: string) => parseAddress(address)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';

/** What the browser says of a page that did not come. */
const BROWSER_ERRORS: readonly (readonly [RegExp, FetchError, string])[] = [
  [/ERR_TOO_MANY_REDIRECTS/, 'too_many_redirects', 'The address is redirected too often.'],
  [
    /ERR_CERT|ERR_SSL|ERR_BAD_SSL/,
    'tls_failed',
    'No trusted encrypted connection to the host could be made.',
  ],
  [/download is starting|ERR_ABORTED/i, 'unsupported_type', 'The answer is of a type that is not read.'],
  [/Timeout .* exceeded/i, 'timeout', 'The host did not answer in time.'],
];

/** Follows what a page does, and breaks it off when it goes too far. */
class Watch {
  problem: VisitError | undefined;
  answer: Response | null = null;
  /** Where the page was led last. */
  at: string | undefined;
  private navigations = 0;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.on('request', (request) => this.see(request));
    page.on('response', (response) => {
      if (this.isNavigation(response.request())) this.answer = response;
    });
    page.on('dialog', (dialog) => dialog.dismiss().catch(() => undefined));
    page.on('crash', () =>
      this.stop(new VisitError('extraction_failed', 'The page is too complex to be shown.')),
    );
  }

  stop(problem: VisitError): void {
    this.problem ??= problem;
    this.page.close().catch(() => undefined);
  }

  private isNavigation(request: Request): boolean {
    return request.isNavigationRequest() && request.frame() === this.page.mainFrame();
  }

  private see(request: Request): void {
    if (!this.isNavigation(request)) return;
    this.at = request.url();
    const before = request.redirectedFrom();
    if (before?.url().startsWith('https:') === true && request.url().startsWith('http:'))
      this.stop(
        new VisitError('url_not_allowed', 'The redirect leads from an encrypted to an open connection.'),
      );
    let hops = 0;
    for (let at = before; at !== null; at = at.redirectedFrom()) hops++;
    this.navigations++;
    if (hops > REDIRECT_LIMIT || this.navigations > NAVIGATION_LIMIT + hops)
      this.stop(new VisitError('too_many_redirects', 'The address is redirected too often.'));
  }
}

function judge(route: Route, withPicture: boolean): Promise<void> {
  const request = route.request();
  const type = request.resourceType();
  const isRead = !UNREAD_RESOURCES.has(type) && (withPicture || type !== 'image');
  const isWeb = /^(?:https?|data|blob|about):/.test(request.url());
  return isRead && isWeb && METHODS.has(request.method()) ? route.continue() : route.abort('blockedbyclient');
}

/** Counts what the page holds once it is unpacked: that of encrypted connections is seen only within the browser. */
async function countBytes(context: BrowserContext, page: Page, watch: Watch, most: number): Promise<void> {
  const session = await context.newCDPSession(page);
  let bytes = 0;
  session.on('Network.dataReceived', ({ dataLength }) => {
    bytes += dataLength;
    if (bytes > most) watch.stop(tooLarge());
  });
  await session.send('Network.enable');
}

async function sourceOf(page: Page, most: number): Promise<string> {
  const length = Number(await page.evaluate('document.documentElement.outerHTML.length'));
  if (!(length <= most)) throw tooLarge();
  return page.content();
}

async function look(page: Page, watch: Watch, url: string, options: VisitOptions): Promise<RenderedPage> {
  const { timeoutMs } = options;
  // Its own answer is not kept: a script may have led on to another page, whose answer the watch has.
  await page.goto(url, { waitUntil: 'domcontentloaded', timeout: timeoutMs });
  await page
    .waitForLoadState('networkidle', { timeout: Math.min(REST_MS, timeoutMs) })
    .catch(() => undefined);
  if (watch.problem !== undefined) throw watch.problem;
  const { answer } = watch;
  const status = answer?.status() ?? 0;
  if (answer === null || status < 200 || status > 299)
    throw new VisitError('http_status', `The host answered with status ${status}.`, status);
  const html = await sourceOf(page, options.decodedBytes);
  const picture = options.withPicture
    ? await page.screenshot({ type: 'jpeg', quality: PICTURE_QUALITY, animations: 'disabled' })
    : undefined;
  return { finalUrl: page.url(), status, html, picture };
}

/** What stands behind an error of the browser: what the watch saw, then the proxy, then what the browser calls it. */
function problemOf(error: unknown, watch: Watch | undefined, proxy: FilteringProxy, url: string): VisitError {
  if (watch?.problem !== undefined) return watch.problem;
  if (error instanceof VisitError) return error;
  if (proxy.isOverdrawn) return tooLarge();
  const reason = proxy.failure(hostOfPage(watch?.at ?? url));
  if (reason !== undefined) return new VisitError(reason, 'The browser could not reach the page.');
  const message = error instanceof Error ? error.message : String(error);
  const known = BROWSER_ERRORS.find(([pattern]) => pattern.test(message));
  return known === undefined
    ? new VisitError('connection_failed', 'The browser could not show the page.')
    : new VisitError(known[1], known[2]);
}

const closeQuietly = (context: BrowserContext | undefined) => context?.close().catch(() => undefined);

/** Shows one page in a context of its own, through a proxy of its own; throws VisitError. */
export async function visitPage(
  browser: Browser,
  proxy: FilteringProxy,
  url: string,
  options: VisitOptions,
): Promise<RenderedPage> {
  let context: BrowserContext | undefined;
  let watch: Watch | undefined;
  try {
    context = await browser.newContext({
      proxy: { server: proxy.url, bypass: '<-loopback>' },
      userAgent: options.userAgent,
      extraHTTPHeaders: { 'accept-language': options.language },
      viewport: VIEWPORT,
      acceptDownloads: false,
      serviceWorkers: 'block',
    });
    const leave = () => closeQuietly(context);
    options.signal.addEventListener('abort', leave, { once: true });
    options.signal.throwIfAborted();
    const page = await context.newPage();
    context.on('page', (other) => {
      if (other !== page) other.close().catch(() => undefined);
    });
    const watching = new Watch(page);
    watch = watching;
    proxy.onOverdrawn(() => watching.stop(tooLarge()));
    await page.routeWebSocket(/.*/, (socket) => socket.close());
    await page.route('**/*', (route) => judge(route, options.withPicture).catch(() => undefined));
    await countBytes(context, page, watching, options.decodedBytes);
    return await look(page, watching, url, options);
  } catch (error) {
    throw problemOf(error, watch, proxy, url);
  } finally {
    await closeQuietly(context);
  }
}
