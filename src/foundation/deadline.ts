/** Why a deadline fired: the time was up, or the caller left before. */
export type DeadlineReason = 'timeout' | 'aborted';

/** Work that did not end before its deadline; also the reason of the work's signal. */
export class DeadlineError extends Error {
  readonly reason: DeadlineReason;

  constructor(reason: DeadlineReason, limitMs: number) {
    super(reason === 'timeout' ? `no answer within ${limitMs} ms` : 'the caller left');
    this.name = 'DeadlineError';
    this.reason = reason;
  }
}

/** A signal that aborts when the time is up or the caller leaves. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** What fired; undefined while neither has. */
  readonly reason: DeadlineReason | undefined;
  /** Milliseconds left; negative when the time is up. */
  remainingMs(): number;
  /** Stops the clock, for a wait that is not to count; call the result, once or more, when it is over. */
  pause(): () => void;
  /** Frees the timer and the caller's signal; to be called in every case. */
  stop(): void;
}

/** Longest delay of a Node timer; anything longer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Starts a deadline that spans several pieces of work; for a single one use `withDeadline`. Neither is AbortSignal.any with
 * AbortSignal.timeout: Node 20 may clear the latter from memory before it fires (nodejs/node#57736).
 * It fires after `limitMs` milliseconds or when `caller` aborts, whichever comes first.
 */
export function startDeadline(limitMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let reason: DeadlineReason | undefined;
  const fire = (why: DeadlineReason) => {
    reason ??= why;
    controller.abort(new DeadlineError(reason, limitMs));
  };
  const leave = () => fire('aborted');
  const start = (ms: number) => setTimeout(fire, Math.min(Math.max(0, ms), LONGEST_TIMER_MS), 'timeout');
  let timer = start(limitMs);
  if (caller?.aborted === true) leave();
  else caller?.addEventListener('abort', leave, { once: true });
  let endsAt = performance.now() + limitMs;
  let pauses = 0;
  let pausedAt = 0;
  const resume = () => {
    pauses--;
    if (pauses > 0) return;
    endsAt += performance.now() - pausedAt;
    if (!stopped) timer = start(endsAt - performance.now());
  };
  let stopped = false;
  return {
    signal: controller.signal,
    get reason() {
      return reason;
    },
    remainingMs: () => endsAt - (pauses > 0 ? pausedAt : performance.now()),
    pause: () => {
      if (pauses === 0) {
        pausedAt = performance.now();
        clearTimeout(timer);
      }
      pauses++;
      let over = false;
      return () => {
        if (!over) resume();
        over = true;
      };
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      caller?.removeEventListener('abort', leave);
    },
  };
}

/**
 * Runs work for at most `limitMs` milliseconds and no longer than its caller stays. Rejects with a DeadlineError as soon
 * as the deadline fires, whether or not the work listens to its signal; the work's own end or error counts before that.
 * Work of a caller that has left already is not started.
 */
export async function withDeadline<Value>(
  limitMs: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal, deadline: Pick<Deadline, 'pause'>) => Promise<Value>,
): Promise<Value> {
  const deadline = startDeadline(limitMs, caller);
  const { signal } = deadline;
  try {
    signal.throwIfAborted();
    const fired = new Promise<never>((_resolve, reject) => {
      // Registered before the work starts, so that the deadline wins over errors that the abort causes.
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    // The inner function also turns what the work throws before its first await into a rejection.
    return await Promise.race([fired, (async () => work(signal, deadline))()]);
  } finally {
    deadline.stop();
  }
}
