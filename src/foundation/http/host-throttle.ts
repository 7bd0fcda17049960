import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Rate } from '../limits.ts';
import { FetchError } from './reasons.ts';

/** Hosts whose next turn is kept; the least recent is forgotten first, which at worst allows it one more burst. */
const KEPT_HOSTS = 10_000;

/** Limits the rate of requests to each host, by letting them wait. */
export interface HostThrottle {
  /** Waits for the host's next turn; throws `rate_limited` when that is more than `longestWaitMs` away. */
  wait(host: string, longestWaitMs: number, signal: AbortSignal): Promise<void>;
  /** Leaves a host alone for some milliseconds, because it asked for that. */
  hold(host: string, milliseconds: number): void;
}

/** A throttle by the generic cell rate algorithm: `burst` requests at once, then `perSecond`; `now` in milliseconds. */
export function createHostThrottle(rate: () => Rate, now: () => number = Date.now): HostThrottle {
  const nextTurn = new LRUCache<string, number>({ max: KEPT_HOSTS });
  return {
    async wait(host, longestWaitMs, signal) {
      const { perSecond, burst } = rate();
      const spacingMs = 1000 / perSecond;
      const turnAt = Math.max(nextTurn.get(host) ?? 0, now() - (burst - 1) * spacingMs);
      const waitMs = turnAt - now();
      if (waitMs > longestWaitMs) throw new FetchError('rate_limited');
      nextTurn.set(host, turnAt + spacingMs);
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    },
    hold(host, milliseconds) {
      nextTurn.set(host, Math.max(nextTurn.get(host) ?? 0, now() + milliseconds));
    },
  };
}
