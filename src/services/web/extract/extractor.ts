import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { withDeadline } from '../../../foundation/deadline.ts';
import { createFairQueue } from '../../../foundation/fair-queue.ts';
import { packageFile } from '../../../foundation/files.ts';
import { THREAD_ARGUMENTS } from '../../../foundation/threads.ts';
import type { ExtractedPage, PageBytes } from './extract.ts';

/** Extraction in threads of its own with a time limit, so that no page blocks the process. */
export interface Extractor {
  /**
   * Rejects when the page is too complex, takes too long, or the caller leaves, and with QueueFullError when too many pages
   * wait. The time limit counts work; pages wait for a thread in turns of those whose share they take. The bytes of a large
   * page are handed over: they are gone afterwards.
   */
  extract(page: PageBytes, share: string, signal: AbortSignal): Promise<ExtractedPage>;
  /** Rejects unless a thread extracts a small page. */
  probe(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Memory of one thread, in megabytes: the largest allowed page needs less than half. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 512, stackSizeMb: 8 };
const IDLE_MS = 60_000;
/** Pages that may wait for a thread, of all and of one share; what comes beyond them fails at once. */
const WAITING = { all: 500, each: 150 };
/** Two at least: then no page, however slow, holds the only thread. */
const FEWEST_THREADS = 2;
const MOST_THREADS = 4;

const PROBE_TITLE = 'A page';
const PROBE_PAGE: PageBytes = {
  bytes: Buffer.from(`<!doctype html><title>${PROBE_TITLE}</title><p>One line.</p>`),
  contentType: 'text/html; charset=utf-8',
  mediaType: 'text/html',
  url: 'https://page.invalid/',
};

/** Smaller pages are copied sooner than handed over. In bytes. */
const HANDED_OVER = 256 * 1024;

/** Memory transferred to the thread instead of copied: copying a large page would block this thread. */
function transferred({ bytes }: PageBytes): ArrayBuffer[] {
  const { buffer } = bytes;
  const isWhole = bytes.byteLength === buffer.byteLength && buffer instanceof ArrayBuffer;
  return isWhole && bytes.byteLength >= HANDED_OVER ? [buffer] : [];
}

/** Starts no thread before the first page. */
export function createExtractor(options: { threads: number; timeoutMs: () => number }): Extractor {
  const threads =
    options.threads > 0
      ? options.threads
      : Math.min(MOST_THREADS, Math.max(FEWEST_THREADS, availableParallelism() - 1));
  const queue = createFairQueue({
    running: threads,
    waiting: WAITING.all,
    each: WAITING.each,
    eachRunning: Math.max(1, threads - 1),
  });
  let started: Piscina<PageBytes, ExtractedPage> | undefined;
  // Threads stay alive after their first use, so that pages do not wait for a thread to start.
  const pool = () => {
    started ??= new Piscina<PageBytes, ExtractedPage>({
      filename: packageFile('dist', 'web-extract-worker.js'),
      execArgv: THREAD_ARGUMENTS,
      minThreads: Math.min(threads, FEWEST_THREADS),
      maxThreads: threads,
      idleTimeout: IDLE_MS,
      resourceLimits: THREAD_LIMITS,
    });
    return started;
  };
  return {
    // A page that overruns its time costs its thread: nothing else stops a busy parser.
    extract: (page, share, caller) =>
      queue.run(
        share,
        () =>
          withDeadline(options.timeoutMs(), caller, (signal) =>
            pool().run(page, { signal, transferList: transferred(page) }),
          ),
        caller,
      ),
    probe: async (signal) => {
      if (queue.size().waiting >= WAITING.all) throw new Error('the queue of pages is full');
      const { metadata } = await pool().run(PROBE_PAGE, { signal });
      if (metadata.title !== PROBE_TITLE) throw new Error('a page was not read as it is');
    },
    close: async () => started?.destroy(),
  };
}
