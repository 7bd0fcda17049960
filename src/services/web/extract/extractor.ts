import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { withDeadline } from '../../../foundation/deadline.ts';
import { packageFile } from '../../../foundation/files.ts';
import type { ExtractedPage, PageBytes } from './extract.ts';

/** Extraction in threads of its own with a time limit, so that no page blocks the process. */
export interface Extractor {
  /** Rejects when the page is too complex, takes too long, or the caller leaves. */
  extract(page: PageBytes, signal: AbortSignal): Promise<ExtractedPage>;
  /** Rejects unless a thread extracts a small page. */
  probe(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Memory of one thread, in megabytes: the largest allowed page needs less than half. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512, stackSizeMb: 8 };
const IDLE_MS = 60_000;
/** Pages that may wait for a thread; what comes beyond them fails at once. */
const LONGEST_QUEUE = 500;

const PROBE_TITLE = 'A page';
const PROBE_PAGE: PageBytes = {
  bytes: Buffer.from(`<!doctype html><title>${PROBE_TITLE}</title><p>One line.</p>`),
  contentType: 'text/html; charset=utf-8',
  mediaType: 'text/html',
  url: 'https://page.invalid/',
};

/** Starts no thread before the first page. */
export function createExtractor(options: { threads: number; timeoutMs: number }): Extractor {
  const threads =
    options.threads > 0 ? options.threads : Math.min(4, Math.max(1, availableParallelism() - 1));
  const pool = new Piscina<PageBytes, ExtractedPage>({
    filename: packageFile('dist', 'web-extract-worker.js'),
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    maxQueue: LONGEST_QUEUE,
    resourceLimits: THREAD_LIMITS,
  });
  return {
    // A page that overruns its time costs its thread: nothing else stops a busy parser.
    extract: (page, caller) =>
      withDeadline(options.timeoutMs, caller, (signal) => pool.run(page, { signal })),
    probe: async (signal) => {
      if (pool.queueSize >= LONGEST_QUEUE) throw new Error('the queue of pages is full');
      const { metadata } = await pool.run(PROBE_PAGE, { signal });
      if (metadata.title !== PROBE_TITLE) throw new Error('a page was not read as it is');
    },
    close: () => pool.destroy(),
  };
}
