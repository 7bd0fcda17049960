import { randomUUID } from 'node:crypto';
import type { Handlers } from '../../foundation/service.ts';
import type { FetchAnswer, FetchRequest, web } from './contract.ts';
import type { TextEncoder } from './evidence-index/encode.ts';
import type { IndexAccess } from './evidence-index/open-index.ts';
import { type PageReader, readAll } from './fetch/pages.ts';
import type { Credibility } from './gather/credibility.ts';
import type { Rerank } from './gather/reranker.ts';
import { withoutStanceModel } from './gather/stance.ts';
import { type RequestLimiter, shareOf } from './request-limiter.ts';
import { evidenceIndexRoutes } from './routes/evidence-index.ts';
import { gatherRoute } from './routes/gather.ts';
import { searchRoutes } from './routes/search.ts';
import type { WebSearch } from './search/search.ts';

/** What the routes work with. */
export interface WebDependencies {
  reader: PageReader;
  requestLimiter: RequestLimiter;
  index: IndexAccess;
  search: WebSearch;
  encoder: TextEncoder;
  credibility: Credibility;
  rerank: Rerank | undefined;
}

async function fetchPages(
  reader: PageReader,
  request: FetchRequest,
  signal: AbortSignal,
  share: string,
): Promise<FetchAnswer> {
  const startedAt = performance.now();
  const outcomes = await readAll(reader, request, signal, share);
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
export function createRoutes(needs: WebDependencies): Handlers<typeof web.operations> {
  const { reader, requestLimiter, index, search } = needs;
  return {
    ...evidenceIndexRoutes(index, reader),
    ...searchRoutes(search, requestLimiter),
    ...gatherRoute({ ...needs, stance: withoutStanceModel }, requestLimiter),
    fetch: ({ body, headers }, { signal, caller }) => {
      const share = shareOf(caller, headers['x-caller-share']);
      return requestLimiter.run(share, signal, () => fetchPages(reader, body, signal, share.key));
    },
  };
}
