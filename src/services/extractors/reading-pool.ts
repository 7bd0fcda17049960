import { withDeadline } from '../../foundation/deadline.ts';
import {
  createFairQueue,
  type FairQueue,
  fullQueueOf,
  maxPlacesPerCaller,
} from '../../foundation/fair-queue.ts';
import { createThreadPool, type ThreadPool } from '../../foundation/thread-pool.ts';
import { errors } from './errors.ts';
import type { ExtractorsSettings } from './settings.ts';

/** Threads of one kind that read files, a few at a time, callers in turns. */
export interface ReadingPool<Task, Result> extends ThreadPool<Task, Result> {
  /** Work in the turn of a caller, within a time limit. Throws rate_limited or service_unavailable when there is no room to wait. */
  inTurn<Outcome>(
    caller: string,
    callerSignal: AbortSignal,
    limitMs: number,
    work: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome>;
}

/** A queue for one kind of work; without room it throws rate_limited or service_unavailable. */
export function createReadingQueue(settings: ExtractorsSettings): FairQueue {
  return createFairQueue(
    {
      running: settings.EXTRACTORS_THREADS,
      get waiting() {
        return settings.EXTRACTORS_QUEUE_SIZE;
      },
      get each() {
        return settings.EXTRACTORS_CALLER_SHARE;
      },
      eachRunning: maxPlacesPerCaller(settings.EXTRACTORS_THREADS),
    },
    fullQueueOf(errors),
  );
}

/** Prepares threads; none is started before the first task. */
export function createReadingPool<Task, Result>(
  settings: ExtractorsSettings,
  program: { readonly script: string; readonly heapMegabytes: number },
): ReadingPool<Task, Result> {
  const queue = createReadingQueue(settings);
  return {
    ...createThreadPool<Task, Result>({ ...program, threads: settings.EXTRACTORS_THREADS }),
    inTurn: (caller, callerSignal, limitMs, work) =>
      queue.run(caller, () => withDeadline(limitMs, callerSignal, work), callerSignal),
  };
}
