/** There is no room to wait: `own` when the caller's share is full, `all` when the queue is. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
  readonly share: 'own' | 'all';

  constructor(share: 'own' | 'all') {
    super(share === 'own' ? 'the share of this caller is full' : 'the queue is full');
    this.share = share;
  }
}

/** How much may be under way. */
interface TurnLimits {
  /** Pieces of work that run at once. */
  readonly running: number;
  /** Pieces of work that wait, of all callers together. */
  readonly waiting: number;
  /** Pieces of work of one caller, running and waiting. */
  readonly each: number;
}

/** Runs expensive work a few at a time; callers who wait take turns, so that one who sends much delays itself alone. */
export interface Turns {
  /** Why work of a caller would be refused now; undefined when it would be taken. */
  refusal(caller: string): NoRoom['share'] | undefined;
  /** Runs work when its turn comes; rejects with NoRoom at once when there is no room to wait. */
  run<Result>(caller: string, work: () => Promise<Result>): Promise<Result>;
}

/** Makes a queue that takes turns. */
export function createTurns(limits: TurnLimits): Turns {
  /** What waits, by caller, in the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();
  const underWay = new Map<string, number>();
  let running = 0;
  let waitingCount = 0;

  const refusal = (caller: string) => {
    if ((underWay.get(caller) ?? 0) >= limits.each) return 'own';
    return running >= limits.running && waitingCount >= limits.waiting ? 'all' : undefined;
  };

  /** Lets the first of the next caller begin; that caller goes to the end of the row. */
  const beginNext = () => {
    const [turn] = waiting;
    if (turn === undefined || running >= limits.running) return;
    const [caller, [begin, ...later]] = turn;
    waiting.delete(caller);
    if (later.length > 0) waiting.set(caller, later);
    waitingCount -= 1;
    running += 1;
    begin?.();
  };

  const turnOf = (caller: string) =>
    new Promise<void>((begin) => {
      waiting.set(caller, [...(waiting.get(caller) ?? []), begin]);
      waitingCount += 1;
      beginNext();
    });

  return {
    refusal,
    async run(caller, work) {
      const refused = refusal(caller);
      if (refused !== undefined) throw new NoRoom(refused);
      underWay.set(caller, (underWay.get(caller) ?? 0) + 1);
      await turnOf(caller);
      try {
        return await work();
      } finally {
        running -= 1;
        const left = (underWay.get(caller) ?? 1) - 1;
        if (left === 0) underWay.delete(caller);
        else underWay.set(caller, left);
        beginNext();
      }
    },
  };
}
