import type { Browser } from 'playwright-core';
import {
  type Deadline,
  DeadlineError,
  startDeadline,
  withDeadline,
} from '../../../../foundation/deadline.ts';
import { createFairQueue } from '../../../../foundation/fair-queue.ts';
import type { Probeable } from '../../../../foundation/health.ts';
import type { GuardedHttp } from '../../../../foundation/http.ts';
import { type Chromium, launchChromium } from './chromium.ts';
import { type RenderedPage, VisitError, visitPage } from './visit.ts';

/** One page to visit. */
export interface Visit {
  readonly url: string;
  /** On whose behalf: users take turns. */
  readonly share: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly withPicture: boolean;
}

/** A browser that shows pages, a few at a time. */
export interface PageBrowser extends Probeable {
  /** Throws VisitError, and QueueFullError when too many wait. */
  visit(visit: Visit): Promise<RenderedPage>;
  close(): Promise<void>;
}

/** What a browser works with. */
interface BrowserOptions {
  readonly chromium: Chromium;
  readonly http: Pick<GuardedHttp, 'proxy' | 'refusal'>;
  readonly userAgent: string;
  readonly language: string;
  /** Pages that are open at once. */
  readonly pages: number;
  readonly decodedBytes: number;
}

/** Pages that may wait, of all and of one share. */
const WAITING = { all: 50, each: 12 };
/** Longest wait for a page to close once its time is up, in milliseconds. */
const CLOSING_MS = 5_000;
/** An idle browser is ended after this time, in milliseconds. */
const IDLE_MS = 60_000;

/** Shares one browser between all pages: it starts with the first page and is closed when it has been idle for a while. */
function shareBrowser(launch: () => Promise<Browser>) {
  let running: Promise<Browser> | undefined;
  let users = 0;
  let idle: NodeJS.Timeout | undefined;
  const end = async () => {
    const ending = running;
    running = undefined;
    await ending?.then(
      (browser) => browser.close(),
      () => undefined,
    );
  };
  const start = () => {
    const starting = launch().then((browser) => {
      browser.once('disconnected', () => {
        if (running === starting) running = undefined;
      });
      return browser;
    });
    starting.catch(() => {
      if (running === starting) running = undefined;
    });
    return starting;
  };
  return {
    async use<Result>(work: (browser: Browser) => Promise<Result>): Promise<Result> {
      clearTimeout(idle);
      users++;
      try {
        running ??= start();
        return await work(await running);
      } finally {
        users--;
        if (users === 0) idle = setTimeout(end, IDLE_MS).unref();
      }
    },
    async close() {
      clearTimeout(idle);
      await end();
    },
  };
}

/** Opens the browser; nothing is started before the first page. */
export function openBrowser(
  options: BrowserOptions,
  launch: (chromium: Chromium) => Promise<Browser> = launchChromium,
): PageBrowser {
  const { chromium, http, pages } = options;
  const queue = createFairQueue({
    running: pages,
    waiting: WAITING.all,
    each: WAITING.each,
    eachRunning: Math.max(1, pages - 1),
  });
  let startFailed = false;
  const running = shareBrowser(async () => {
    try {
      const browser = await launch(chromium);
      startFailed = false;
      return browser;
    } catch {
      startFailed = true;
      throw new VisitError('unavailable', `The browser does not start: ${startProblem(chromium)}.`);
    }
  });
  const show = async (browser: Browser, { url, withPicture }: Visit, deadline: Deadline) => {
    const proxy = await http.proxy();
    const { signal } = deadline;
    const timeoutMs = Math.max(1, deadline.remainingMs());
    try {
      return await visitPage(browser, proxy, url, { ...options, withPicture, signal, timeoutMs });
    } finally {
      await proxy.close();
    }
  };
  // The place in the queue is free once the page is closed; a browser that cannot close a page is ended as a whole.
  const work = async (visit: Visit) => {
    const deadline = startDeadline(visit.timeoutMs, visit.signal);
    try {
      return await withDeadline(visit.timeoutMs + CLOSING_MS, undefined, () =>
        running.use((browser) => show(browser, visit, deadline)),
      );
    } catch (error) {
      if (error instanceof DeadlineError) running.close().catch(() => undefined);
      throw deadline.reason === undefined ? error : new DeadlineError(deadline.reason, visit.timeoutMs);
    } finally {
      deadline.stop();
    }
  };
  return {
    async visit(visit) {
      const refused = http.refusal(visit.url);
      if (refused !== undefined) throw new VisitError(refused.reason, refused.message);
      return queue.run(visit.share, () => work(visit), visit.signal);
    },
    probe: async () => {
      if (startFailed) throw new Error(`the browser does not start: ${startProblem(chromium)}`);
    },
    note: chromium.words,
    close: () => running.close(),
  };
}

/** A browser that finds no sandbox ends at once; only the setting starts it without one. */
const startProblem = ({ isSandboxed, path }: Chromium) =>
  isSandboxed
    ? `${path} may find no sandbox on this system; WEB_CHROMIUM_SANDBOX=off runs it without`
    : `${path} ends or does not answer`;
