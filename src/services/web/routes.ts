import { randomUUID } from 'node:crypto';
import { limitHeaders, type RateLimiter } from '../../foundation/limits.ts';
import type { Handlers } from '../../foundation/service.ts';
import type { FetchAnswer, FetchRequest, web } from './contract.ts';
import { errors } from './errors.ts';
import { type PageReader, readAll } from './fetch/pages.ts';

/** What the routes work with. */
export interface WebDependencies {
  reader: PageReader;
  limiter: RateLimiter;
}

/** The limit holds for the whole process, so that there is one bucket. */
const WHOLE_PROCESS = 'process';

async function fetchPages(
  reader: PageReader,
  request: FetchRequest,
  signal: AbortSignal,
): Promise<FetchAnswer> {
  const startedAt = performance.now();
  const outcomes = await readAll(reader, request, signal);
  const pages = outcomes.flatMap((outcome) => ('page' in outcome ? [outcome.page] : []));
  const failed = outcomes.flatMap((outcome) => ('failed' in outcome ? [outcome.failed] : []));
  return {
    request_id: randomUUID(),
    pages,
    total_fetched: pages.length,
    total_failed: failed.length,
    execution_time_ms: Math.round(performance.now() - startedAt),
    failed_urls: failed,
  };
}

/** The handlers of the web service. */
export function createRoutes(
  { reader, limiter }: WebDependencies,
  mostRequests: number,
): Handlers<typeof web.operations> {
  let running = 0;
  return {
    fetch: async ({ body }, { signal }) => {
      const grant = await limiter.take(WHOLE_PROCESS);
      if (!grant.allowed) throw errors.rate_limit_exceeded({ headers: limitHeaders(grant) });
      if (running >= mostRequests) throw errors.service_unavailable({ headers: { 'Retry-After': '1' } });
      running++;
      try {
        return await fetchPages(reader, body, signal);
      } finally {
        running--;
      }
    },
  };
}
