import { createFairQueue, QueueFullError } from '../../../foundation/fair-queue.ts';
import { errors } from '../errors.ts';
import type { RerankTask } from './backend.ts';

/** How much may be under way for a model; `waiting` and `callerShare` are read at each request. */
export interface TurnLimits {
  readonly threads: number;
  readonly waiting: number;
  readonly callerShare: number;
}

/** Runs work for a task when it is the turn of its caller. */
export type InTurn = <Result>(task: RerankTask, work: () => Promise<Result>) => Promise<Result>;

/** Turns for the callers of one model. */
export function createTurns(limits: TurnLimits, threads = limits.threads): InTurn {
  const queue = createFairQueue({
    running: threads,
    get waiting() {
      return limits.waiting;
    },
    get each() {
      return limits.callerShare;
    },
  });
  return async ({ caller, signal }, work) => {
    try {
      return await queue.run(caller, work, signal);
    } catch (error) {
      if (error instanceof QueueFullError)
        throw error.share === 'own' ? errors.rate_limited() : errors.overloaded();
      throw error;
    }
  };
}
