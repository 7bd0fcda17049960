import { randomUUID } from 'node:crypto';
import { type createTokenBuckets, limitHeaders } from '../../foundation/limits.ts';
import type { Handlers } from '../../foundation/service.ts';
import { errors, type FetchAnswer, type FetchRequest, web } from './contract.ts';
import { type PageReader, readAll } from './fetch/pages.ts';

/** What the routes need. */
export interface RouteNeeds {
  reader: PageReader;
  bucket: ReturnType<typeof createTokenBuckets>;
}

/** The limit holds for the whole process, so that there is one bucket. */
const wholeProcess = 'process';

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
  { reader, bucket }: RouteNeeds,
  mostRequests: number,
): Handlers<typeof web.operations> {
  let running = 0;
  return {
    fetch: async ({ body }, { signal }) => {
      const grant = bucket(wholeProcess);
      if (!grant.allowed) throw errors.rate_limit_exceeded({ headers: limitHeaders(grant) });
      if (running >= mostRequests) throw errors.service_unavailable({ headers: { 'Retry-After': '1' } });
      running++;
      try {
        return await fetchPages(reader, body, signal);
      } finally {
        running--;
      }
    },
    info: () => ({
      resource: { name: web.name, title: web.title, version: web.version, description: web.description },
      models: [],
      functions: Object.entries(web.operations).map(([name, { method, path, summary }]) => ({
        name,
        method,
        path,
        description: summary,
      })),
    }),
    health: () => ({ status: 'healthy', providers: [] }),
    ready: () => ({ ready: true }),
  };
}
