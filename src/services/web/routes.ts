import { randomUUID } from 'node:crypto';
import { type Probed, runChecks } from '../../foundation/health.ts';
import { limitHeaders, type RateLimiter } from '../../foundation/limits.ts';
import type { Handlers } from '../../foundation/service.ts';
import { type FetchAnswer, type FetchRequest, web } from './contract.ts';
import { errors } from './errors.ts';
import { type PageReader, readAll } from './fetch/pages.ts';

/** What the routes need. */
export interface RouteNeeds {
  reader: PageReader;
  /** Undefined when no search server is set up. */
  searxng: Probed | undefined;
  extractor: Probed;
  limiter: RateLimiter;
}

/** Longest wait for one check, in milliseconds: less than callers of /health wait. */
const CHECK_LIMIT_MS = 1_500;

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

/** Health by the search server; without one, by the threads that extract pages. */
async function healthOf({ searxng, extractor }: RouteNeeds) {
  const asked = searxng === undefined ? { extraction: extractor } : { searxng };
  const checks = Object.entries(await runChecks(asked, CHECK_LIMIT_MS));
  const providers = checks.map(([name, { status, error }]) => ({
    name,
    healthy: status === 'healthy',
    message: error,
  }));
  const healthy = providers.filter((provider) => provider.healthy).length;
  const status = healthy === providers.length ? 'healthy' : healthy > 0 ? 'degraded' : 'unhealthy';
  return { status, providers } as const;
}

/** The handlers of the web service. */
export function createRoutes(needs: RouteNeeds, mostRequests: number): Handlers<typeof web.operations> {
  const { reader, limiter } = needs;
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
    health: () => healthOf(needs),
    ready: () => ({ ready: true }),
  };
}
