import type { Logger } from '../../foundation/log.ts';
import { isCacheable } from './cache.ts';
import type { GatherEvidence } from './evidence-source.ts';
import type { EvidencePack } from './resources.ts';
import type { FactStore, KeyedFact } from './store.ts';

/** How often facts are checked again. */
export interface RecheckPolicy {
  /** Hours until the check after one that found something new. */
  readonly firstCheckHours: number;
  readonly longestCheckHours: number;
  /** Facts that were not asked for in so many days are not checked again. */
  readonly askedWithinDays: number;
}

/** Gathers evidence again for facts whose check is due. */
export interface Rechecker {
  /** Checks one fact in the background, when it is due and no other process has leased it. */
  checkSoon(factId: string): void;
  /** Checks all facts that are due, one after the other; resolves to how many there were. */
  checkDue(signal: AbortSignal): Promise<number>;
  /** Cancels running checks and waits for their end. */
  close(): Promise<void>;
}

/** The caller name of background checks in the fair queue. */
const CALLER = 'recheck';
/** How long a fact is leased to this process: longer than the longest gathering. */
const LEASE_MS = 10 * 60_000;
/** Checks started by requests that may run at once; further ones wait for the next regular check. */
const MOST_CONCURRENT = 4;

/** Whether two packs have the same sources, by the hashes of their texts. */
function isSameEvidence(one: EvidencePack, other: EvidencePack): boolean {
  const key = ({ evidence }: EvidencePack) =>
    evidence
      .map((item) => item.full_text_hash)
      .sort()
      .join(' ');
  return key(one) === key(other);
}

/** Creates the rechecker. */
export function createRechecker(
  {
    store,
    gather,
    log,
  }: { readonly store: FactStore; readonly gather: GatherEvidence; readonly log: Logger },
  policy: RecheckPolicy,
): Rechecker {
  const stop = new AbortController();
  const running = new Set<Promise<void>>();

  const check = async (fact: KeyedFact, signal: AbortSignal): Promise<void> => {
    const { firstCheckHours, longestCheckHours } = policy;
    try {
      const pack = await gather(fact.request, { caller: CALLER, signal });
      if (!isCacheable(pack)) return await store.postpone(fact.fact_id, firstCheckHours);
      const isSame = isSameEvidence(pack, fact.pack);
      const hours = isSame ? Math.min(longestCheckHours, fact.interval_hours * 2) : firstCheckHours;
      await store.renew(fact.fact_id, pack, hours);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error, fact_id: fact.fact_id }, 'a fact could not be checked again');
      await store.postpone(fact.fact_id, firstCheckHours);
    }
  };
  return {
    checkSoon: (factId) => {
      if (running.size >= MOST_CONCURRENT || stop.signal.aborted) return;
      const work = (async () => {
        const fact = await store.take(factId, LEASE_MS);
        if (fact !== undefined) await check(fact, stop.signal);
      })().catch((error) => log.warn({ err: error, fact_id: factId }, 'a fact could not be checked again'));
      running.add(work);
      void work.finally(() => running.delete(work));
    },
    checkDue: async (signal) => {
      const either = AbortSignal.any([signal, stop.signal]);
      for (let count = 0; ; count++) {
        const fact = either.aborted ? undefined : await store.takeDue(policy.askedWithinDays, LEASE_MS);
        if (fact === undefined) return count;
        await check(fact, either);
      }
    },
    close: async () => {
      stop.abort(new Error('the service is stopping'));
      await Promise.all(running);
    },
  };
}
