import { DeadlineError } from '../../../foundation/deadline.ts';
import { QueueFullError } from '../../../foundation/fair-queue.ts';
import type { PageBrowser } from './browser/browser.ts';
import { type RenderedPage, VisitError } from './browser/visit.ts';
import type { Fetcher, FetchProblem, PageFetchOptions } from './fetcher.ts';

/** Visits a page in the browser and maps its errors to those of the contract. */
export async function tryVisit(
  browser: PageBrowser,
  url: string,
  options: PageFetchOptions,
  { withPicture }: { readonly withPicture: boolean },
): Promise<RenderedPage | FetchProblem> {
  const { signal, timeoutMs, share } = options;
  try {
    return await browser.visit({ url, share, signal, timeoutMs, withPicture });
  } catch (error) {
    if (error instanceof VisitError)
      return { ok: false, error: error.error, message: error.message, status: error.status };
    const [code, message] =
      error instanceof QueueFullError
        ? (['busy', 'Too many pages are waiting for the browser.'] as const)
        : error instanceof DeadlineError
          ? ([error.reason, 'The time for this page is up.'] as const)
          : (['connection_failed', 'The browser could not show the page.'] as const);
    return { ok: false, error: code, message, status: null };
  }
}

/** Pages as the browser of this machine shows them, after their scripts have run. */
export function createBrowseFetcher(browser: PageBrowser): Fetcher {
  return {
    method: 'browse',
    async fetch(url, options) {
      const visited = await tryVisit(browser, url, options, { withPicture: false });
      if ('ok' in visited) return visited;
      return {
        ok: true,
        finalUrl: visited.finalUrl,
        status: visited.status,
        contentTypeHeader: 'text/html; charset=utf-8',
        mediaType: 'text/html',
        bytes: Buffer.from(visited.html, 'utf8'),
      };
    },
  };
}
