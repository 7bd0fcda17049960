import type { Logger } from '../../foundation/log.ts';
import { isWorthKeeping } from './cache.ts';
import type { GatherEvidence } from './evidence-source.ts';
import type { EvidencePack } from './resources.ts';
import type { FactStore, KeyedFact } from './store.ts';

/** How often facts are checked again. */
export interface RecheckPolicy {
  /** Hours until the check after one that found something new. */
  readonly firstCheckHours: number;
  readonly longestCheckHours: number;
  /** Facts that nobody asked for in so many days are left alone. */
  readonly askedWithinDays: number;
}

/** Gathers facts again whose check is due. */
export interface Rechecker {
  /** Checks one fact soon, when it is due and no other process does. */
  soon(factId: string): void;
  /** Checks all facts that are due, one after the other; resolves to how many there were. */
  checkDue(signal: AbortSignal): Promise<number>;
  /** Ends the checks that run. */
  close(): Promise<void>;
}

/** Who asks for the checks that nobody waits for; takes turns with all others. */
const CALLER = 'recheck';
/** No other process takes a fact for so long: longer than the longest gather. */
const TAKEN_MS = 10 * 60_000;
/** Checks begun by requests that may run at once; the others are left to the next look. */
const MOST_SOON = 4;

/** Evidence counts by the texts it stands in: the same texts mean that nothing new was found. */
function isSameEvidence(one: EvidencePack, other: EvidencePack): boolean {
  const key = ({ evidence }: EvidencePack) =>
    evidence
      .map((item) => item.full_text_hash)
      .sort()
      .join(' ');
  return key(one) === key(other);
}

/** Makes the worker that keeps facts fresh. */
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
      if (!isWorthKeeping(pack)) return await store.postpone(fact.fact_id, firstCheckHours);
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
    soon: (factId) => {
      if (running.size >= MOST_SOON || stop.signal.aborted) return;
      const work = (async () => {
        const fact = await store.take(factId, TAKEN_MS);
        if (fact !== undefined) await check(fact, stop.signal);
      })().catch((error) => log.warn({ err: error, fact_id: factId }, 'a fact could not be checked again'));
      running.add(work);
      void work.finally(() => running.delete(work));
    },
    checkDue: async (signal) => {
      const either = AbortSignal.any([signal, stop.signal]);
      for (let count = 0; ; count++) {
        const fact = either.aborted ? undefined : await store.takeDue(policy.askedWithinDays, TAKEN_MS);
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
