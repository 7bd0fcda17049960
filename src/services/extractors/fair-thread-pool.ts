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

/** A pool of threads for one kind of work, which is shared fairly among callers. */
export interface FairThreadPool<Task, Result> extends ThreadPool<Task, Result> {
  /** Runs work when it is the turn of the caller, within a time limit. Throws rate_limited or service_unavailable when the queue is full. */
  runQueued<Outcome>(
    caller: string,
    callerSignal: AbortSignal,
    limitMs: number,
    work: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome>;
}

/** A queue for one kind of work; when it is full it throws rate_limited or service_unavailable. */
export function createWorkQueue(settings: ExtractorsSettings): FairQueue {
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
export function createFairThreadPool<Task, Result>(
  settings: ExtractorsSettings,
  program: { readonly script: string; readonly heapMegabytes: number },
): FairThreadPool<Task, Result> {
  const queue = createWorkQueue(settings);
  return {
    ...createThreadPool<Task, Result>({ ...program, threads: settings.EXTRACTORS_THREADS }),
    runQueued: (caller, callerSignal, limitMs, work) =>
      queue.run(caller, () => withDeadline(limitMs, callerSignal, work), callerSignal),
  };
}
