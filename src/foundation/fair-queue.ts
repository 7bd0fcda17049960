/** There is no room to wait: `own` when the caller's share is full, `all` when the queue is. */
export class QueueFullError extends Error {
  readonly share: 'own' | 'all';

  constructor(share: 'own' | 'all') {
    super(share === 'own' ? 'the share of this caller is full' : 'the queue is full');
    this.name = 'QueueFullError';
    this.share = share;
  }
}

/** How much may be under way. Read whenever a turn is given: limits may change while the queue is in use. */
interface FairQueueLimits {
  /** Pieces of work that run at once. */
  readonly running: number;
  /** Pieces of work that wait, of all callers together. */
  readonly waiting: number;
  /** Pieces of work of one caller, running and waiting. */
  readonly each: number;
  /** Pieces of work of one caller that run at once, where that is less: then nobody can hold all places. */
  readonly eachRunning?: number;
}

/** Runs expensive work a few at a time; callers who wait take turns, so that one who sends much delays itself alone. */
export interface FairQueue {
  /** Why work of a caller would be refused now; undefined when it would be taken. */
  refusal(caller: string): QueueFullError['share'] | undefined;
  /**
   * Runs work when its turn comes. Rejects with QueueFullError at once when there is no room to wait, and with the signal's
   * reason when that aborts before the turn comes; work that runs has to listen to the signal itself.
   */
  run<Result>(caller: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
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

/** Makes a queue that takes turns. */
export function createFairQueue(limits: FairQueueLimits): FairQueue {
  const waiting = createWaitingRow();
  const underWay = new Map<string, number>();
  const runningOf = new Map<string, number>();
  let running = 0;

  const refusal = (caller: string) => {
    if ((underWay.get(caller) ?? 0) >= limits.each) return 'own';
    return running >= limits.running && waiting.length() >= limits.waiting ? 'all' : undefined;
  };

  const count = (counts: Map<string, number>, caller: string, change: 1 | -1) => {
    const now = (counts.get(caller) ?? 0) + change;
    if (now > 0) counts.set(caller, now);
    else counts.delete(caller);
  };

  const beginNext = () => {
    if (running >= limits.running) return;
    const next = waiting.next(
      (caller) => (runningOf.get(caller) ?? 0) < (limits.eachRunning ?? limits.running),
    );
    if (next === undefined) return;
    running++;
    count(runningOf, next.caller, 1);
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
    size: () => ({ running, waiting: waiting.length() }),
    async run(caller, work, signal) {
      signal?.throwIfAborted();
      const share = refusal(caller);
      if (share !== undefined) throw new QueueFullError(share);
      count(underWay, caller, 1);
      try {
        await turnOf(caller, signal);
        try {
          return await work();
        } finally {
          running--;
          count(runningOf, caller, -1);
        }
      } finally {
        count(underWay, caller, -1);
        beginNext();
      }
    },
  };
}
