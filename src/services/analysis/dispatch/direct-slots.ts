import { createFairQueue, QueueFullError } from '../../../foundation/fair-queue.ts';
import { errors } from '../errors.ts';
import { TIERS, type Tier, tierOfPlan } from '../resources/stage.ts';
import type { Slots } from './session-lifecycle.ts';

/** The user and tier of a direct analysis. */
interface DirectCaller {
  readonly account: string;
  readonly planType: number;
}

/** The slots of direct analyses in this process. */
export interface DirectSlots {
  /**
   * Does work when a place is free; callers who wait take turns. Throws rate_limited when the caller has as much under way
   * as it may, service_unavailable when all places and all room to wait are taken.
   */
  run<Result>(asker: DirectCaller, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
}

/** Analyses of one user that may be under way, running and waiting, for each of its slots. */
const UNDER_WAY_PER_SLOT = 4;
/** Analyses that may wait, for each place. */
const WAITING_PER_PLACE = 4;
/** Seconds until a refused caller should try again: longer than most analyses take. */
const RETRY_AFTER = '2';

/** Makes so many places for each tier; a user gets as many of them as its slots, so that one user cannot hold all. Both may change. */
export function createDirectSlots(places: () => number, slots: Slots): DirectSlots {
  const queueOf = (tier: Tier) =>
    createFairQueue({
      get running() {
        return places();
      },
      get waiting() {
        return places() * WAITING_PER_PLACE;
      },
      get each() {
        return slots[tier] * UNDER_WAY_PER_SLOT;
      },
      get eachRunning() {
        return slots[tier];
      },
    });
  const queues = Object.fromEntries(TIERS.map((tier) => [tier, queueOf(tier)])) as Record<
    Tier,
    ReturnType<typeof queueOf>
  >;
  return {
    run: ({ account, planType }, work, signal) =>
      queues[tierOfPlan(planType)].run(account, work, signal).catch((error: unknown) => {
        if (!(error instanceof QueueFullError)) throw error;
        const headers = { 'Retry-After': RETRY_AFTER };
        throw error.share === 'own'
          ? errors.rate_limited({ headers })
          : errors.service_unavailable({ message: 'The service is as busy as it may be.', headers });
      }),
  };
}
