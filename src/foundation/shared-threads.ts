import { parentPort, Worker, workerData } from 'node:worker_threads';

/** Threads of one program. They start when they are first used, and share what the first of them loaded. */
export interface SharedThreads<Task, Result> {
  /** Runs a task in a thread that is free; callers see to it that no more tasks run than there are threads. */
  run(task: Task): Promise<Result>;
  /** Whether a thread has loaded what they share. */
  loaded(): boolean;
  close(): Promise<void>;
}

/** What a thread is started with; `shared` is null for the one that loads it. */
interface ThreadStart<Shared, Options> {
  readonly options: Options;
  readonly index: number;
  readonly threadCount: number;
  readonly shared: Shared | null;
}

/** What a thread reports. */
type ThreadMessage<Shared, Result> =
  | { readonly kind: 'ready'; readonly shared: Shared | null }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly message: string };

/** A thread, and what it is to answer next. */
interface SharedThread<Task, Result> {
  ask(task: Task): Promise<Result>;
  end(): Promise<void>;
}

interface Waiting<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

/** Computing allocates little that lasts: a larger young generation would only keep memory taken. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8 };

/** Starts a thread; resolves when it is ready. `ended` is called when it ends by itself. */
function startSharedThread<Shared, Task, Result>(
  program: string,
  start: ThreadStart<Shared, unknown>,
  ended: () => void,
): Promise<{ thread: SharedThread<Task, Result>; shared: Shared | null }> {
  const worker = new Worker(program, { workerData: start, resourceLimits: RESOURCE_LIMITS });
  let waiting: Waiting<Result> | undefined;
  return new Promise((ready, failed) => {
    const lose = (error: Error) => {
      ended();
      failed(error);
      waiting?.reject(error);
      waiting = undefined;
    };
    const thread: SharedThread<Task, Result> = {
      ask: (task) =>
        new Promise((resolve, reject) => {
          waiting = { resolve, reject };
          worker.ref();
          worker.postMessage(task);
        }),
      end: async () => void (await worker.terminate()),
    };
    worker.on('message', (message: ThreadMessage<Shared, Result>) => {
      // An idle thread keeps no process alive.
      worker.unref();
      if (message.kind === 'ready') return ready({ thread, shared: message.shared });
      if (message.kind === 'done') waiting?.resolve(message.result);
      else waiting?.reject(new Error(message.message));
      waiting = undefined;
    });
    worker.on('error', lose);
    worker.on('exit', () => lose(new Error('a thread ended')));
  });
}

/** Threads by number; each starts when it is first needed, and anew when it was lost. All get the same `options`. */
export function createSharedThreads<Shared, Task, Result>(
  program: string,
  threadCount: number,
  options?: unknown,
): SharedThreads<Task, Result> {
  const threads = new Map<number, Promise<SharedThread<Task, Result>>>();
  const free = Array.from({ length: threadCount }, (_, index) => threadCount - 1 - index);
  let loading: Promise<Shared | null> | undefined;
  let loaded = false;

  const start = async (index: number): Promise<SharedThread<Task, Result>> => {
    const first = loading === undefined;
    const forget = () => void threads.delete(index);
    const started = (async () => {
      const shared = first ? null : ((await loading) ?? null);
      return startSharedThread<Shared, Task, Result>(
        program,
        { index, threadCount, shared, options },
        forget,
      );
    })();
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
  const threadOf = (index: number): Promise<SharedThread<Task, Result>> => {
    const known = threads.get(index);
    if (known !== undefined) return known;
    const starting = start(index);
    threads.set(index, starting);
    starting.catch(() => threads.delete(index));
    return starting;
  };
  return {
    run: async (task) => {
      const index = free.pop();
      if (index === undefined) throw new Error('no thread is free');
      try {
        return await (await threadOf(index)).ask(task);
      } finally {
        free.push(index);
      }
    },
    loaded: () => loaded,
    close: async () => {
      const running = await Promise.allSettled(threads.values());
      await Promise.all(running.map((one) => (one.status === 'fulfilled' ? one.value.end() : undefined)));
    },
  };
}

/** What a thread does: it loads what all share where no other has, and answers tasks one by one. */
interface ThreadProgram<Shared, Options, Task, Result> {
  load(threadCount: number, options: Options): Shared | Promise<Shared>;
  prepare(shared: Shared, index: number): (task: Task) => Result | Promise<Result>;
}

/** Runs in the thread: loads what is shared, and answers the tasks that are sent to it. */
export async function serveSharedThread<Shared, Options, Task, Result>({
  load,
  prepare,
}: ThreadProgram<Shared, Options, Task, Result>): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('This program runs in a thread.');
  const { index, threadCount, shared: loaded, options } = workerData as ThreadStart<Shared, Options>;
  const shared = loaded ?? (await load(threadCount, options));
  const answer = prepare(shared, index);
  const report = (message: ThreadMessage<Shared, Result>) => port.postMessage(message);
  port.on('message', async (task: Task) => {
    try {
      report({ kind: 'done', result: await answer(task) });
    } catch (error) {
      report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  });
  // A single thread shares with no other; a message would copy what is not in shared memory.
  report({ kind: 'ready', shared: threadCount > 1 ? shared : null });
}
