import { Worker } from 'node:worker_threads';
import { packageFile } from '../../../../foundation/files.ts';
import type { SharedEncoder } from '../../../../text/encoder/encoder.ts';
import type { EncodedInput, WorkerAnswer, WorkerStart, WorkerTask } from './messages.ts';

/** The threads of the encoder. They start when they are first used, and share one copy of the weights. */
export interface EncoderThreads {
  /** Runs a task in a thread that is free; callers see to it that no more tasks run than there are threads. */
  run(task: WorkerTask): Promise<readonly EncodedInput[]>;
  /** Whether the weights are in memory. */
  loaded(): boolean;
  close(): Promise<void>;
}

/** A thread, and what it is to answer next. */
interface Thread {
  ask(task: WorkerTask): Promise<readonly EncodedInput[]>;
  end(): Promise<void>;
}

interface Waiting {
  resolve(inputs: readonly EncodedInput[]): void;
  reject(error: Error): void;
}

/** Starts a thread; resolves when it has loaded the encoder. `ended` is called when it ends by itself. */
function startThread(
  start: WorkerStart,
  ended: () => void,
): Promise<{ thread: Thread; shared: SharedEncoder }> {
  const worker = new Worker(packageFile('dist', 'embeddings-worker.js'), { workerData: start });
  let waiting: Waiting | undefined;
  return new Promise((ready, failed) => {
    const lose = (error: Error) => {
      ended();
      failed(error);
      waiting?.reject(error);
      waiting = undefined;
    };
    const thread: Thread = {
      ask: (task) =>
        new Promise((resolve, reject) => {
          waiting = { resolve, reject };
          worker.ref();
          worker.postMessage(task);
        }),
      end: async () => void (await worker.terminate()),
    };
    worker.on('message', (answer: WorkerAnswer) => {
      // An idle thread keeps no process alive.
      worker.unref();
      if (answer.kind === 'ready') return ready({ thread, shared: answer.shared });
      if (answer.kind === 'vectors') waiting?.resolve(answer.inputs);
      else waiting?.reject(new Error(answer.message));
      waiting = undefined;
    });
    worker.on('error', lose);
    worker.on('exit', () => lose(new Error('the thread of the encoder ended')));
  });
}

/** Threads by number; each starts when it is first needed, and anew when it was lost. */
export function createEncoderThreads(lanes: number): EncoderThreads {
  const threads = new Map<number, Promise<Thread>>();
  const free = Array.from({ length: lanes }, (_, index) => lanes - 1 - index);
  let loading: Promise<SharedEncoder> | undefined;
  let loaded = false;

  const start = async (lane: number): Promise<Thread> => {
    const first = loading === undefined;
    const forget = () => void threads.delete(lane);
    const started = (async () =>
      startThread({ lane, lanes, shared: first ? null : ((await loading) ?? null) }, forget))();
    if (first) {
      loading = started.then(({ shared }) => shared);
      // A loading that failed is tried again by the next task.
      loading.then(
        () => {
          loaded = true;
        },
        () => {
          loading = undefined;
        },
      );
    }
    return (await started).thread;
  };
  const threadOf = (lane: number): Promise<Thread> => {
    const known = threads.get(lane);
    if (known !== undefined) return known;
    const starting = start(lane);
    threads.set(lane, starting);
    starting.catch(() => threads.delete(lane));
    return starting;
  };
  return {
    run: async (task) => {
      const lane = free.pop();
      if (lane === undefined) throw new Error('no thread of the encoder is free');
      try {
        return await (await threadOf(lane)).ask(task);
      } finally {
        free.push(lane);
      }
    },
    loaded: () => loaded,
    close: async () => {
      const running = await Promise.allSettled(threads.values());
      await Promise.all(running.map((one) => (one.status === 'fulfilled' ? one.value.end() : undefined)));
    },
  };
}
