import type { TransferListItem } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { packageFile } from './files.ts';
import { THREAD_ARGUMENTS } from './threads.ts';

/** Threads of one bundled program; callers see to it that no more tasks run than there are threads. */
export interface ThreadPool<Task, Result> {
  /** An aborted signal ends the thread: nothing else stops busy code. */
  run(task: Task, signal: AbortSignal, transferList?: readonly TransferListItem[]): Promise<Result>;
  /** New threads from now on: those that are there are ended when they have done their work. */
  renew(): void;
  close(): Promise<void>;
}

/** Which threads there may be. */
interface ThreadPoolOptions {
  /** Name of the bundled program. */
  readonly script: string;
  readonly threads: number;
  /** Memory of one thread, what is not of JavaScript apart. */
  readonly heapMegabytes: number;
}

/** How long a thread waits for more, in milliseconds. */
const IDLE_MS = 60_000;

/** Prepares threads; none is started before the first task. */
export function createThreadPool<Task, Result>({
  script,
  threads,
  heapMegabytes,
}: ThreadPoolOptions): ThreadPool<Task, Result> {
  let started: Piscina<Task, Result> | undefined;
  const pool = () => {
    started ??= new Piscina<Task, Result>({
      filename: packageFile('dist', script),
      execArgv: THREAD_ARGUMENTS,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    return started;
  };
  return {
    run: (task, signal, transferList = []) => pool().run(task, { signal, transferList: [...transferList] }),
    renew: () => {
      const old = started;
      started = undefined;
      void old?.close();
    },
    close: async () => {
      await started?.destroy();
    },
  };
}
