/** The queue is full: `own` when the caller's share of it is, `all` when the whole queue is. */
export class QueueFullError extends Error {
  readonly share: 'own' | 'all';

  constructor(share: 'own' | 'all') {
    super(share === 'own' ? 'the share of this caller is full' : 'the queue is full');
    this.name = 'QueueFullError';
    this.share = share;
  }
}

/** Limits of the queue. They are read whenever work may start, and so may change while the queue is in use. */
interface FairQueueLimits {
  /** Pieces of work that run at once. */
  readonly running: number;
  /** Pieces of work that wait, of all callers together. */
  readonly waiting: number;
  /** Pieces of work of one caller, running and waiting. */
  readonly each: number;
  /** Pieces of work of one caller that run at once; below `running`, no single caller can hold all places. */
  readonly eachRunning?: number;
}

/** Most places that one caller may hold: all but one, and at least one. */
export const maxPlacesPerCaller = (places: number): number => Math.max(1, places - 1);

/** Runs expensive work a few pieces at a time; waiting callers are served in turn, so that a caller with many requests delays only itself. */
export interface FairQueue {
  /** Why work of a caller would be refused now; undefined when it would be taken. */
  refusal(caller: string): QueueFullError['share'] | undefined;
  /**
   * Runs work when its turn comes. Rejects with the error of a full queue at once when there is no room to wait, and with the signal's
   * reason when that aborts before the turn comes; work that runs has to listen to the signal itself.
   */
  run<Result>(caller: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /**
   * Does all work on a request, from before its body is read to its answer; it calls `run` for the expensive part. Rejects with
   * the error of a full queue at once when as many requests are under way as may run and wait: uploads that come in the same moment cannot pass together
   * before any of them counts.
   */
  admitted<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
  /** Pieces of work that run, and that wait. */
  size(): { readonly running: number; readonly waiting: number };
}

/** Begins a piece of work that waits. */
type Begin = () => void;

/** Who waits, by caller, in the order of their turns. */
function createWaitingRow() {
  const byCaller = new Map<string, readonly Begin[]>();
  let length = 0;
  const set = (caller: string, row: readonly Begin[]) => {
    if (row.length > 0) byCaller.set(caller, row);
    else byCaller.delete(caller);
  };
  return {
    length: () => length,
    add(caller: string, begin: Begin): void {
      set(caller, [...(byCaller.get(caller) ?? []), begin]);
      length++;
    },
    remove(caller: string, begin: Begin): void {
      const row = byCaller.get(caller) ?? [];
      set(
        caller,
        row.filter((each) => each !== begin),
      );
      length--;
    },
    /** Takes out the first of the next caller that may begin; that caller goes to the end of the row. */
    next(mayBegin: (caller: string) => boolean): { caller: string; begin: Begin } | undefined {
      for (const [caller, [begin, ...later]] of byCaller) {
        if (begin === undefined || !mayBegin(caller)) continue;
        byCaller.delete(caller);
        set(caller, later);
        length--;
        return { caller, begin };
      }
      return undefined;
    },
  };
}

/** How many there are, of all callers and of each. */
function createCount() {
  const byCaller = new Map<string, number>();
  let all = 0;
  return {
    all: () => all,
    of: (caller: string) => byCaller.get(caller) ?? 0,
    change(caller: string, by: 1 | -1): void {
      all += by;
      const now = (byCaller.get(caller) ?? 0) + by;
      if (now > 0) byCaller.set(caller, now);
      else byCaller.delete(caller);
    },
  };
}

/** Creates the error of a full queue; a QueueFullError unless a service has an error of its own. */
type FullQueue = (share: QueueFullError['share']) => Error;

/** The error of a full queue from the error table of a service. */
export const fullQueueOf =
  (errors: { readonly rate_limited: () => Error; readonly service_unavailable: () => Error }): FullQueue =>
  (share) =>
    share === 'own' ? errors.rate_limited() : errors.service_unavailable();

/** Makes a queue that takes turns; `full` makes what it rejects with when there is no room. */
export function createFairQueue(
  limits: FairQueueLimits,
  full: FullQueue = (share) => new QueueFullError(share),
): FairQueue {
  const waiting = createWaitingRow();
  const underWay = createCount();
  const running = createCount();
  const admitted = createCount();

  const refusal = (caller: string) => {
    if (underWay.of(caller) >= limits.each) return 'own';
    return running.all() >= limits.running && waiting.length() >= limits.waiting ? 'all' : undefined;
  };

  const beginNext = () => {
    if (running.all() >= limits.running) return;
    const next = waiting.next((caller) => running.of(caller) < (limits.eachRunning ?? limits.running));
    if (next === undefined) return;
    running.change(next.caller, 1);
    next.begin();
  };

  const turnOf = (caller: string, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.remove(caller, begin);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.add(caller, begin);
      beginNext();
    });

  return {
    refusal,
    size: () => ({ running: running.all(), waiting: waiting.length() }),
    async admitted(caller, work) {
      if (admitted.of(caller) >= limits.each) throw full('own');
      if (admitted.all() >= limits.running + limits.waiting) throw full('all');
      admitted.change(caller, 1);
      try {
        return await work();
      } finally {
        admitted.change(caller, -1);
      }
    },
    async run(caller, work, signal) {
      signal?.throwIfAborted();
      const share = refusal(caller);
      if (share !== undefined) throw full(share);
      underWay.change(caller, 1);
      try {
        await turnOf(caller, signal);
        try {
          return await work();
        } finally {
          running.change(caller, -1);
        }
      } finally {
        underWay.change(caller, -1);
        beginNext();
      }
    },
  };
}
