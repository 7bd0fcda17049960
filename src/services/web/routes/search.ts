import { randomUUID } from 'node:crypto';
import { siteOf } from '../../../foundation/http/web-address.ts';
import type { Handlers } from '../../../foundation/service.ts';
import type { ProviderReport, SearchResult } from '../contract/search.ts';
import type { web } from '../contract.ts';
import { ProviderFault } from '../error-body.ts';
import { errors } from '../errors.ts';
import { type RequestLimiter, shareOf } from '../request-limiter.ts';
import type { SearchOutcome, WebSearch } from '../search/search.ts';

type SearchOperations = Pick<typeof web.operations, 'search' | 'imageSearch'>;

/** Thrown when no provider answered: 504 when all of them were too slow, else 502. */
export function providerFailure(providers: readonly ProviderReport[]): Error {
  const cause = new ProviderFault(providers.map(({ name }) => name).join(', ') || 'none');
  const isTimeout =
    providers.length > 0 && providers.every(({ error }) => error === 'timeout' || error === 'aborted');
  return isTimeout ? errors.timeout({ cause }) : errors.provider_error({ cause });
}

/** The results of all queries, ranked within each. */
function resultsOf({ lists }: SearchOutcome): SearchResult[] {
  return lists.flatMap(({ query, pages }) =>
    pages.map(({ url, title, snippet, published_at, providers }, index) => ({
      query,
      url,
      title,
      snippet,
      rank: index + 1,
      site: url.startsWith('urn:') ? 'local' : siteOf(url),
      published_at,
      providers: [...providers],
    })),
  );
}

/** Handlers of search for pages and pictures. */
export function searchRoutes(search: WebSearch, requestLimiter: RequestLimiter): Handlers<SearchOperations> {
  const factsOf = (startedAt: number, queries: readonly string[], results: readonly unknown[]) => ({
    request_id: randomUUID(),
    total_results: results.length,
    execution_time_ms: Math.round(performance.now() - startedAt),
    queries_processed: queries.length,
  });
  return {
    search: ({ body, headers }, { signal, caller }) => {
      const share = shareOf(caller, headers['x-caller-share']);
      return requestLimiter.run(share, signal, async () => {
        const startedAt = performance.now();
        const outcome = await search.search(body, headers['x-search-tier'] ?? 'free', signal, share.key);
        if (!outcome.succeeded) throw providerFailure(outcome.providers);
        const results = resultsOf(outcome);
        return { ...factsOf(startedAt, body.queries, results), results, providers: [...outcome.providers] };
      });
    },
    imageSearch: ({ body, headers }, { signal, caller }) =>
      requestLimiter.run(shareOf(caller, headers['x-caller-share']), signal, async () => {
        const startedAt = performance.now();
        const outcome = await search.images(body, headers['x-search-tier'] ?? 'free', signal);
        if (!outcome.succeeded) throw providerFailure(outcome.providers);
        const { results, providers } = outcome;
        return { ...factsOf(startedAt, body.queries, results), results, providers };
      }),
  };
}
