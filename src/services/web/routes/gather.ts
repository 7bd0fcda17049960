import { randomUUID } from 'node:crypto';
import type { Handlers } from '../../../foundation/service.ts';
import type { web } from '../contract.ts';
import type { GatherDependencies } from '../gather/dependencies.ts';
import { gather } from '../gather/gather.ts';
import { type RequestLimiter, shareOf } from '../request-limiter.ts';
import { providerFailure } from './search.ts';

/** The handler that gathers evidence. */
export function gatherRoute(
  dependencies: GatherDependencies,
  requestLimiter: RequestLimiter,
): Handlers<Pick<typeof web.operations, 'gather'>> {
  return {
    gather: ({ body, headers }, { signal, caller }) => {
      const share = shareOf(caller, headers['x-caller-share']);
      return requestLimiter.run(share, signal, async () => {
        const startedAt = performance.now();
        const tier = headers['x-search-tier'] ?? 'free';
        const gathered = await gather(dependencies, body, { tier, share: share.key, signal });
        if (gathered.failedProviders !== undefined) throw providerFailure(gathered.failedProviders);
        const { evidence, stats } = gathered;
        return {
          request_id: randomUUID(),
          claim: body.claim,
          queries: [...gathered.queries],
          evidence: [...evidence],
          evidence_stats: {
            input_items: stats.input,
            after_dedup: stats.afterDedup,
            output_items: evidence.length,
            duplicates_removed: stats.input - stats.afterDedup,
            // No text model is asked.
            tokens_used: 0,
          },
          stages: [...gathered.stages],
          total_urls_found: gathered.candidateCount,
          total_pages_fetched: gathered.fetchedCount,
          total_evidence_items: evidence.length,
          execution_time_ms: Math.round(performance.now() - startedAt),
        };
      });
    },
  };
}
