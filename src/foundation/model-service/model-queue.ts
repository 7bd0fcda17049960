import { createFairQueue, maxPlacesPerCaller } from '../fair-queue.ts';
import type { ModelServiceFailures } from './errors.ts';

/** Limits of the queue of a model; `waiting` and `callerShare` are read at each request. */
export interface ModelQueueLimits {
  readonly threads: number;
  readonly waiting: number;
  readonly callerShare: number;
  /** Whether tasks may take long: then a single caller never holds all threads. */
  readonly isLong?: boolean;
}

/** The caller of a queued task, and the signal that ends its wait. */
export interface QueuedCaller {
  /** The fairness key: callers are served in turn. */
  readonly caller: string;
  readonly signal: AbortSignal;
}

/** Runs work when its caller's turn comes. Throws `rate_limited` when the caller's share is full, `overloaded` when the queue is. */
export type RunQueued = <Result>(caller: QueuedCaller, work: () => Promise<Result>) => Promise<Result>;

/** The fair queue in front of the threads of one model. */
export function createModelQueue(
  limits: ModelQueueLimits,
  errors: Pick<ModelServiceFailures, 'rate_limited' | 'overloaded'>,
  threads = limits.threads,
): RunQueued {
  const queue = createFairQueue(
    {
      running: threads,
      get waiting() {
        return limits.waiting;
      },
      get each() {
        return limits.callerShare;
      },
      eachRunning: limits.isLong === true ? maxPlacesPerCaller(threads) : threads,
    },
    (share) => (share === 'own' ? errors.rate_limited() : errors.overloaded()),
  );
  return ({ caller, signal }, work) => queue.run(caller, work, signal);
}
