import type { Browser, BrowserContext, Page, Request, Response, Route } from 'playwright-core';
import { parseAddress } from '../../../../foundation/http/web-address.ts';
import type { FilteringProxy } from '../../../../foundation/http.ts';
import type { FetchErrorCode } from '../../contract.ts';

/** A page as the browser rendered it. */
export interface RenderedPage {
  readonly finalUrl: string;
  readonly status: number;
  readonly html: string;
  /** A screenshot, when requested. */
  readonly picture: Buffer | undefined;
}

/** Options and limits of one visit. */
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
  readonly error: FetchErrorCode;
  readonly status: number | null;

  constructor(error: FetchErrorCode, message: string, status: number | null = null) {
    super(message);
    this.name = 'VisitError';
    this.error = error;
    this.status = status;
  }
}

const tooLarge = () => new VisitError('too_large', 'The answer is larger than the limit.');

/** Types of resources that hold no text or could have side effects: they are blocked. */
const BLOCKED_RESOURCES = new Set([
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
/** Most navigations by scripts; more are taken for a loop. */
const NAVIGATION_LIMIT = 10;
/** Longest wait for the network to be idle, in milliseconds; many pages never stop loading. */
const NETWORK_IDLE_MS = 4_000;
const VIEWPORT = { width: 1280, height: 1600 };
const PICTURE_QUALITY = 70;

const hostOfPage = (address: string) => parseAddress(address)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';

/** Error messages of the browser, with the error of the contract for each. */
const BROWSER_ERRORS: readonly (readonly [RegExp, FetchErrorCode, string])[] = [
  [/ERR_TOO_MANY_REDIRECTS/, 'too_many_redirects', 'The address is redirected too often.'],
  [
    /ERR_CERT|ERR_SSL|ERR_BAD_SSL/,
    'tls_failed',
    'No trusted encrypted connection to the host could be made.',
  ],
  [/download is starting|ERR_ABORTED/i, 'unsupported_type', 'The answer is of a type that is not read.'],
  [/Timeout .* exceeded/i, 'timeout', 'The host did not answer in time.'],
];

/** Observes the navigations of a page and closes it when it exceeds a limit. */
class NavigationMonitor {
  problem: VisitError | undefined;
  answer: Response | null = null;
  /** The address of the last navigation. */
  at: string | undefined;
  private navigations = 0;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    page.on('request', (request) => this.onRequest(request));
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

  private onRequest(request: Request): void {
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

function filterRequest(route: Route, withPicture: boolean): Promise<void> {
  const request = route.request();
  const type = request.resourceType();
  const isRead = !BLOCKED_RESOURCES.has(type) && (withPicture || type !== 'image');
  const isWeb = /^(?:https?|data|blob|about):/.test(request.url());
  return isRead && isWeb && METHODS.has(request.method()) ? route.continue() : route.abort('blockedbyclient');
}

/** Counts the decoded bytes of a page in the browser, since the proxy cannot see into encrypted connections. */
async function countBytes(
  context: BrowserContext,
  page: Page,
  monitor: NavigationMonitor,
  most: number,
): Promise<void> {
  const session = await context.newCDPSession(page);
  let bytes = 0;
  session.on('Network.dataReceived', ({ dataLength }) => {
    bytes += dataLength;
    if (bytes > most) monitor.stop(tooLarge());
  });
  await session.send('Network.enable');
}

async function sourceOf(page: Page, most: number): Promise<string> {
  const length = Number(await page.evaluate('document.documentElement.outerHTML.length'));
  if (!(length <= most)) throw tooLarge();
  return page.content();
}

async function renderPage(
  page: Page,
  monitor: NavigationMonitor,
  url: string,
  options: VisitOptions,
): Promise<RenderedPage> {
  const { timeoutMs } = options;
  // The response of the monitor is used: a script may have navigated to another page.
  await page.goto(url, { waitUntil: 'domcontentloaded', timeout: timeoutMs });
  await page
    .waitForLoadState('networkidle', { timeout: Math.min(NETWORK_IDLE_MS, timeoutMs) })
    .catch(() => undefined);
  if (monitor.problem !== undefined) throw monitor.problem;
  const { answer } = monitor;
  const status = answer?.status() ?? 0;
  if (answer === null || status < 200 || status > 299)
    throw new VisitError('http_status', `The host answered with status ${status}.`, status);
  const html = await sourceOf(page, options.decodedBytes);
  const picture = options.withPicture
    ? await page.screenshot({ type: 'jpeg', quality: PICTURE_QUALITY, animations: 'disabled' })
    : undefined;
  return { finalUrl: page.url(), status, html, picture };
}

/** The cause of a browser error, by the monitor, else the proxy, else the message of the browser. */
function problemOf(
  error: unknown,
  monitor: NavigationMonitor | undefined,
  proxy: FilteringProxy,
  url: string,
): VisitError {
  if (monitor?.problem !== undefined) return monitor.problem;
  if (error instanceof VisitError) return error;
  if (proxy.isOverdrawn) return tooLarge();
  const reason = proxy.failure(hostOfPage(monitor?.at ?? url));
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
  let monitor: NavigationMonitor | undefined;
  try {
    context = await browser.newContext({
      proxy: { server: proxy.url, bypass: '<-loopback>' },
      userAgent: options.userAgent,
      extraHTTPHeaders: { 'accept-language': options.language },
      viewport: VIEWPORT,
      acceptDownloads: false,
      serviceWorkers: 'block',
    });
    const closeContext = () => closeQuietly(context);
    options.signal.addEventListener('abort', closeContext, { once: true });
    options.signal.throwIfAborted();
    const page = await context.newPage();
    context.on('page', (other) => {
      if (other !== page) other.close().catch(() => undefined);
    });
    const newMonitor = new NavigationMonitor(page);
    monitor = newMonitor;
    proxy.onOverdrawn(() => newMonitor.stop(tooLarge()));
    await page.routeWebSocket(/.*/, (socket) => socket.close());
    await page.route('**/*', (route) => filterRequest(route, options.withPicture).catch(() => undefined));
    await countBytes(context, page, newMonitor, options.decodedBytes);
    return await renderPage(page, newMonitor, url, options);
  } catch (error) {
    throw problemOf(error, monitor, proxy, url);
  } finally {
    await closeQuietly(context);
  }
}
