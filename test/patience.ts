import { vi } from 'vitest';

/**
 * Longest wait for something that must happen, in milliseconds. It only distinguishes a failure from a hang: no test may depend on how
 * fast the machine is, so it is far longer than anything takes on a busy one.
 */
export const PATIENCE_MS = 120_000;

/** Pauses between looks at a condition, in milliseconds: each longer than the last, so that looking takes little from what is waited for. */
const POLL = { firstMs: 10, factor: 1.2, longestMs: 50 } as const;

// Taken before any test replaces the timers of its process by a clock of its own.
const { setTimeout: startTimer } = globalThis;

/** Waits for real milliseconds, also under a clock of a test. Not for hoping that something has happened: see `until`. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    startTimer(resolve, milliseconds);
  });
}

function startPauses(): () => Promise<void> {
  let next: number = POLL.firstMs;
  return () => {
    const now = next;
    next = Math.min(POLL.longestMs, next * POLL.factor);
    return pause(now);
  };
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  const wait = startPauses();
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`the condition did not come true: ${condition}`);
    await wait();
  }
}

/** Waits until an assertion no longer fails, and fails as it does when that takes too long. */
export async function eventually<Result>(assertion: () => Result | Promise<Result>): Promise<Result> {
  const end = Date.now() + PATIENCE_MS;
  const wait = startPauses();
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
      await wait();
    }
  }
}

/** A clock that a test moves by hand: timers and `performance.now` stand still until `advance`. Give it back with `restore`. */
export interface ManualClock {
  advance(milliseconds: number): Promise<unknown>;
  restore(): void;
}

/** Starts a manual clock; what is built afterwards runs on it. Sockets and Node's own timers stay as they are. */
export function startManualClock(): ManualClock {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  });
  // A process is never asked for the time in its first millisecond.
  vi.advanceTimersByTime(1000);
  return {
    advance: (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds),
    restore: () => {
      vi.useRealTimers();
    },
  };
}
