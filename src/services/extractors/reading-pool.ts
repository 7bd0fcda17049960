import { Piscina } from 'piscina';
import { withDeadline } from '../../foundation/deadline.ts';
import { createFairQueue, mostOfOne, QueueFullError } from '../../foundation/fair-queue.ts';
import { packageFile } from '../../foundation/files.ts';
import { THREAD_ARGUMENTS } from '../../foundation/threads.ts';
import { errors } from './errors.ts';
import type { ExtractorsSettings } from './settings.ts';

/** Threads of one kind that read files, a few at a time, callers in turns. */
export interface ReadingPool<Task, Result> {
  /** Work in the turn of a caller, within a time limit. Throws rate_limited or service_unavailable when there is no room to wait. */
  inTurn<Outcome>(
    caller: string,
    caller_signal: AbortSignal,
    limitMs: number,
    work: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome>;
  run(task: Task, signal: AbortSignal): Promise<Result>;
  /** New threads from now on: those that are there are ended when they have done their work. */
  renew(): void;
  close(): Promise<void>;
}

/** What a caller is told whom there is no room for. */
export const toldFullQueue = ({ share }: QueueFullError) =>
  share === 'own' ? errors.rate_limited() : errors.service_unavailable();

/** How long a thread waits for more, in milliseconds. */
const IDLE_MS = 60_000;

/** Prepares threads; none is started before the first task. */
export function createReadingPool<Task, Result>(
  settings: ExtractorsSettings,
  { script, heapMegabytes }: { readonly script: string; readonly heapMegabytes: number },
): ReadingPool<Task, Result> {
  const queue = createFairQueue({
    running: settings.EXTRACTORS_THREADS,
    get waiting() {
      return settings.EXTRACTORS_QUEUE_SIZE;
    },
    get each() {
      return settings.EXTRACTORS_CALLER_SHARE;
    },
    eachRunning: mostOfOne(settings.EXTRACTORS_THREADS),
  });
  let started: Piscina<Task, Result> | undefined;
  const threads = () => {
    started ??= new Piscina<Task, Result>({
      filename: packageFile('dist', script),
      execArgv: THREAD_ARGUMENTS,
      minThreads: 0,
      maxThreads: settings.EXTRACTORS_THREADS,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    return started;
  };
  const renew = () => {
    const old = started;
    started = undefined;
    void old?.close();
  };
  return {
    inTurn: async (caller, callerSignal, limitMs, work) => {
      try {
        return await queue.run(caller, () => withDeadline(limitMs, callerSignal, work), callerSignal);
      } catch (error) {
        throw error instanceof QueueFullError ? toldFullQueue(error) : error;
      }
    },
    run: (task, signal) => threads().run(task, { signal }),
    renew,
    close: async () => {
      await started?.destroy();
    },
  };
}
