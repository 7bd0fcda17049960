import type { Caller } from '../../foundation/auth.ts';
import { fairQueueKey } from '../../foundation/caller-share.ts';
import { createFairQueue, QueueFullError } from '../../foundation/fair-queue.ts';
import { limitHeaders, type RateLimiter } from '../../foundation/limits.ts';
import { errors } from './errors.ts';

/** On whose behalf a request is made. */
export interface Share {
  /** The token's owner and the user that it names: two callers cannot take each other's shares. */
  readonly key: string;
  /** The caller asks for several users and named this one. */
  readonly isNamed: boolean;
}

/** The share that a request takes. */
export function shareOf(caller: Caller | undefined, named: string | undefined): Share {
  return {
    key: fairQueueKey({ 'x-caller-share': named }, { caller, peer: '' }),
    isNamed: named !== undefined,
  };
}

/** Limits of the requests that are worked on, read at each of them: they may change while it works. */
interface PlaceLimits {
  readonly running: number;
  readonly waiting: number;
  /** Requests per second of the whole process. */
  readonly limiter: RateLimiter;
  /** Those of one named user, who must not use up the rate for all. */
  readonly ownLimiter: RateLimiter;
}

/** Lets requests in, a few at a time, users in turns. */
export interface Places {
  /** Runs work when its turn comes; throws a failure of the error table when the rate or the places are used up. */
  run<Result>(share: Share, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}

/** The rate holds for the whole process, so that there is one bucket. */
const WHOLE_PROCESS = 'process';
/** Nobody holds more than this part of the places while others may come. */
const OWN_PART = 1 / 4;
const RETRY = { 'Retry-After': '1' };

/** Makes the places of the service. */
export function createPlaces(limits: PlaceLimits): Places {
  const { limiter, ownLimiter } = limits;
  const queue = createFairQueue({
    get running() {
      return limits.running;
    },
    get waiting() {
      return limits.waiting;
    },
    get each() {
      return this.eachRunning + Math.ceil(limits.waiting / 2);
    },
    get eachRunning() {
      return Math.ceil(limits.running * OWN_PART);
    },
  });
  const takeRate = async ({ key, isNamed }: Share) => {
    const own = isNamed ? await ownLimiter.take(key) : undefined;
    const grant = own?.allowed === false ? own : await limiter.take(WHOLE_PROCESS);
    if (!grant.allowed) throw errors.rate_limit_exceeded({ headers: limitHeaders(grant) });
  };
  return {
    async run(share, signal, work) {
      await takeRate(share);
      try {
        return await queue.run(share.key, work, signal);
      } catch (error) {
        if (!(error instanceof QueueFullError)) throw error;
        throw error.share === 'own' && share.isNamed
          ? errors.rate_limit_exceeded({ headers: RETRY })
          : errors.service_unavailable({ headers: RETRY });
      }
    },
  };
}
