import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { FetchError } from './reasons.ts';

/** Hosts whose pace is remembered; the oldest are forgotten first, which at worst allows them one more burst. */
const REMEMBERED_HOSTS = 10_000;

/** Spreads requests to one host over time. */
export interface Pace {
  /** Waits for the host's next turn; throws `rate_limited` when that is more than `patienceMs` away. */
  turn(host: string, patienceMs: number, signal: AbortSignal): Promise<void>;
}

/** A bucket per host (generic cell rate algorithm): `burst` requests at once, then `perSecond`. */
export function createPace(perSecond: number, burst: number, now: () => number = Date.now): Pace {
  const spacingMs = 1000 / perSecond;
  const nextTurn = new LRUCache<string, number>({ max: REMEMBERED_HOSTS });
  return {
    async turn(host, patienceMs, signal) {
      const turnAt = Math.max(nextTurn.get(host) ?? 0, now() - (burst - 1) * spacingMs);
      const waitMs = turnAt - now();
      if (waitMs > patienceMs) throw new FetchError('rate_limited');
      nextTurn.set(host, turnAt + spacingMs);
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    },
  };
}
