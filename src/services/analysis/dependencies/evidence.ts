import type { Client, LossReason } from '../../../foundation/client.ts';
import type { brain } from '../../brain/contract.ts';
import { callerShare } from './caller-share.ts';

/** The part of the verification cache that the analysis calls. */
export type BrainClient = Pick<Client<typeof brain>, 'gather'>;
type Answer = NonNullable<Awaited<ReturnType<BrainClient['gather']>>>;

/** What was found on one claim. */
export interface GatheredEvidence {
  readonly items: Answer['evidence'];
  /** What was searched for, now or when the cache first met the claim. */
  readonly queries: readonly string[];
  /** Queries that were searched now; 0 when the cache knew the claim. */
  readonly searches: number;
}

/** Looks for evidence on a claim; failures of other services are results, never thrown. */
export interface EvidenceSource {
  gather(
    claim: string,
    run: {
      readonly account: string;
      readonly correlationId: string;
      readonly signal: AbortSignal;
      readonly seconds: number;
    },
  ): Promise<GatheredEvidence | { readonly lost: LossReason }>;
}

/** Lengths of a claim that the services take, in UTF-16 units. */
const CLAIM = { shortest: 10, longest: 1000 };
/** Seconds that a search has at least and at most, by the interface. */
const SECONDS = { least: 10, most: 90 };
/** Items that a reader, and the decision, get of each claim. */
const MOST_ITEMS = 10;
/** Beyond the time of the search, in milliseconds. */
const MARGIN_MS = 1_000;

/** Looks for evidence by the verification cache. */
export function createEvidenceSource(client: BrainClient): EvidenceSource {
  return {
    gather: async (claim, { account, correlationId, signal, seconds }) => {
      if (claim.length < CLAIM.shortest) return { items: [], queries: [], searches: 0 };
      const timeout = Math.min(SECONDS.most, Math.max(SECONDS.least, seconds));
      let reason: LossReason = 'unavailable';
      const answer = await client.gather(
        {
          body: {
            claim: claim.slice(0, CLAIM.longest),
            max_evidence_items: MOST_ITEMS,
            timeout_seconds: timeout,
          },
          headers: callerShare(account),
        },
        {
          signal,
          correlationId,
          timeoutMs: timeout * 1000 + MARGIN_MS,
          lost: (loss) => {
            reason = loss.reason;
          },
          refused: ({ status }) => {
            reason = status === 429 ? 'rate_limited' : 'invalid_answer';
          },
        },
      );
      if (answer === undefined) return { lost: reason };
      const { evidence, queries, brain_meta: meta } = answer;
      const searches = meta.cache_status === 'miss' ? queries.length : 0;
      return { items: evidence, queries, searches };
    },
  };
}
