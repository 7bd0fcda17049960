import { parentPort, Worker, workerData } from 'node:worker_threads';

/** Threads of one program. They start when they are first used, and share what the first of them loaded. */
export interface Lanes<Task, Result> {
  /** Runs a task in a thread that is free; callers see to it that no more tasks run than there are threads. */
  run(task: Task): Promise<Result>;
  /** Whether a thread has loaded what they share. */
  loaded(): boolean;
  close(): Promise<void>;
}

/** What a thread is started with; `shared` is null for the one that loads it. */
interface LaneStart<Shared, Given> {
  readonly given: Given;
  readonly lane: number;
  readonly lanes: number;
  readonly shared: Shared | null;
}

/** What a thread says. */
type LaneWord<Shared, Result> =
  | { readonly kind: 'ready'; readonly shared: Shared | null }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly message: string };

/** A thread, and what it is to answer next. */
interface Lane<Task, Result> {
  ask(task: Task): Promise<Result>;
  end(): Promise<void>;
}

interface Waiting<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

/** A thread that computes makes little that lasts: room for young objects beyond this is only memory that stays taken. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8 };

/** Starts a thread; resolves when it is ready. `ended` is called when it ends by itself. */
function startLane<Shared, Task, Result>(
  program: string,
  start: LaneStart<Shared, unknown>,
  ended: () => void,
): Promise<{ lane: Lane<Task, Result>; shared: Shared | null }> {
  const worker = new Worker(program, { workerData: start, resourceLimits: RESOURCE_LIMITS });
  let waiting: Waiting<Result> | undefined;
  return new Promise((ready, failed) => {
    const lose = (error: Error) => {
      ended();
      failed(error);
      waiting?.reject(error);
      waiting = undefined;
    };
    const lane: Lane<Task, Result> = {
      ask: (task) =>
        new Promise((resolve, reject) => {
          waiting = { resolve, reject };
          worker.ref();
          worker.postMessage(task);
        }),
      end: async () => void (await worker.terminate()),
    };
    worker.on('message', (word: LaneWord<Shared, Result>) => {
      // An idle thread keeps no process alive.
      worker.unref();
      if (word.kind === 'ready') return ready({ lane, shared: word.shared });
      if (word.kind === 'done') waiting?.resolve(word.result);
      else waiting?.reject(new Error(word.message));
      waiting = undefined;
    });
    worker.on('error', lose);
    worker.on('exit', () => lose(new Error('a thread ended')));
  });
}

/** Threads by number; each starts when it is first needed, and anew when it was lost. All are told what is `given`. */
export function createLanes<Shared, Task, Result>(
  program: string,
  lanes: number,
  given?: unknown,
): Lanes<Task, Result> {
  const threads = new Map<number, Promise<Lane<Task, Result>>>();
  const free = Array.from({ length: lanes }, (_, index) => lanes - 1 - index);
  let loading: Promise<Shared | null> | undefined;
  let loaded = false;

  const start = async (lane: number): Promise<Lane<Task, Result>> => {
    const first = loading === undefined;
    const forget = () => void threads.delete(lane);
    const started = (async () => {
      const shared = first ? null : ((await loading) ?? null);
      return startLane<Shared, Task, Result>(program, { lane, lanes, shared, given }, forget);
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
    return (await started).lane;
  };
  const threadOf = (lane: number): Promise<Lane<Task, Result>> => {
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
      if (lane === undefined) throw new Error('no thread is free');
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

/** What a thread does: it loads what all share where no other has, and answers tasks one by one. */
interface LaneProgram<Shared, Given, Task, Result> {
  load(lanes: number, given: Given): Shared | Promise<Shared>;
  prepare(shared: Shared, lane: number): (task: Task) => Result | Promise<Result>;
}

/** The side of the thread. */
export async function serveLane<Shared, Given, Task, Result>({
  load,
  prepare,
}: LaneProgram<Shared, Given, Task, Result>): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('This program runs in a thread.');
  const { lane, lanes, shared: loaded, given } = workerData as LaneStart<Shared, Given>;
  const shared = loaded ?? (await load(lanes, given));
  const answer = prepare(shared, lane);
  const say = (word: LaneWord<Shared, Result>) => port.postMessage(word);
  port.on('message', async (task: Task) => {
    try {
      say({ kind: 'done', result: await answer(task) });
    } catch (error) {
      say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  });
  // A thread that is alone shares with nobody: this one would keep a second copy of what is no shared memory.
  say({ kind: 'ready', shared: lanes > 1 ? shared : null });
}
