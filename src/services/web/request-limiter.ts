import type { Caller } from '../../foundation/auth.ts';
import { fairQueueKey } from '../../foundation/caller-share.ts';
import { createFairQueue, QueueFullError } from '../../foundation/fair-queue.ts';
import { limitHeaders, type RateLimiter } from '../../foundation/limits.ts';
import { errors } from './errors.ts';

/** On whose behalf a request is made. */
export interface Share {
  /** Key of the token's owner and the named user, so that one caller cannot use up the share of another. */
  readonly key: string;
  /** Whether the caller named a user, as callers that serve several users do. */
  readonly isNamed: boolean;
}

/** The share that a request takes. */
export function shareOf(caller: Caller | undefined, named: string | undefined): Share {
  return {
    key: fairQueueKey({ 'x-caller-share': named }, { caller, peer: '' }),
    isNamed: named !== undefined,
  };
}

/** Limits, read at each request, since settings may change while the service runs. */
interface RequestLimits {
  readonly running: number;
  readonly waiting: number;
  /** Requests per second of the whole process. */
  readonly limiter: RateLimiter;
  /** Those of one named user, who must not use up the rate for all. */
  readonly ownLimiter: RateLimiter;
}

/** Limits the rate and the number of requests at once; users share the queue fairly. */
export interface RequestLimiter {
  /** Runs work from the queue; throws a failure of the error table when the rate is exceeded or the queue is full. */
  run<Result>(share: Share, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}

/** The one key of the rate limiter of the whole process. */
const WHOLE_PROCESS = 'process';
/** Largest part of the running requests that one user may have. */
const CALLER_PART = 1 / 4;
const RETRY = { 'Retry-After': '1' };

/** Creates the request limiter of the service. */
export function createRequestLimiter(limits: RequestLimits): RequestLimiter {
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
      return Math.ceil(limits.running * CALLER_PART);
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
