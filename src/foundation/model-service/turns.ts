import { createFairQueue, mostOfOne } from '../fair-queue.ts';
import type { ModelServiceFailures } from './errors.ts';

/** How much may be under way for a model; `waiting` and `callerShare` are read at each request. */
export interface TurnLimits {
  readonly threads: number;
  readonly waiting: number;
  readonly callerShare: number;
  /** Whether a piece of work may last: then no caller holds the last thread. */
  readonly isLong?: boolean;
}

/** Whose work it is, and what ends its wait. */
export interface TurnTaker {
  /** Name of the caller: callers take turns. */
  readonly caller: string;
  readonly signal: AbortSignal;
}

/** Runs work when it is the turn of its caller; a share or a queue that is full is an error of the table. */
export type InTurn = <Result>(taker: TurnTaker, work: () => Promise<Result>) => Promise<Result>;

/** Turns for the callers of one model. */
export function createTurns(
  limits: TurnLimits,
  errors: Pick<ModelServiceFailures, 'rate_limited' | 'overloaded'>,
  threads = limits.threads,
): InTurn {
  const queue = createFairQueue(
    {
      running: threads,
      get waiting() {
        return limits.waiting;
      },
      get each() {
        return limits.callerShare;
      },
      eachRunning: limits.isLong === true ? mostOfOne(threads) : threads,
    },
    (share) => (share === 'own' ? errors.rate_limited() : errors.overloaded()),
  );
  return ({ caller, signal }, work) => queue.run(caller, work, signal);
}
