import { randomUUID } from 'node:crypto';
import type { Handlers } from '../../../foundation/service.ts';
import type { web } from '../contract.ts';
import { gather } from '../gather/gather.ts';
import type { GatherParts } from '../gather/parts.ts';
import { type Places, shareOf } from '../places.ts';
import { noProvider } from './search.ts';

/** The handler that gathers evidence. */
export function gatherRoute(
  parts: GatherParts,
  places: Places,
): Handlers<Pick<typeof web.operations, 'gather'>> {
  return {
    gather: ({ body, headers }, { signal, caller }) => {
      const share = shareOf(caller, headers['x-caller-share']);
      return places.run(share, signal, async () => {
        const startedAt = performance.now();
        const tier = headers['x-search-tier'] ?? 'free';
        const gathered = await gather(parts, body, { tier, share: share.key, signal });
        if (gathered.noProvider !== undefined) throw noProvider(gathered.noProvider);
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
          total_urls_found: gathered.found,
          total_pages_fetched: gathered.fetched,
          total_evidence_items: evidence.length,
          execution_time_ms: Math.round(performance.now() - startedAt),
        };
      });
    },
  };
}
