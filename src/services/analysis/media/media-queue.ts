import { createFairQueue, QueueFullError } from '../../../foundation/fair-queue.ts';

/** Work on a medium that waits in the queue: its user, what aborts it, and the clock that the wait must not count against. */
export interface QueuedMediaWork {
  readonly account: string;
  readonly signal: AbortSignal;
  /** Stops the clock of the caller's time limit; the result starts it again. */
  readonly pause: () => () => void;
}

/** A fair queue for work on media: a few pieces at once, users in turn. */
export interface MediaQueue {
  /** Runs work when its turn comes; its time limit counts from there. Resolves to undefined when the queue is full. */
  run<Result>(waiting: QueuedMediaWork, work: () => Promise<Result>): Promise<Result | undefined>;
  /** Pieces of work that wait. */
  waiting(): number;
}

/** Longest queue: more than the steps that one process can have under way. */
const MOST_WAITING = 2_000;

/** Opens the queue; `atOnce` is read whenever work may start. */
export function createMediaQueue(atOnce: () => number): MediaQueue {
  const queue = createFairQueue({
    get running() {
      return atOnce();
    },
    waiting: MOST_WAITING,
    each: MOST_WAITING,
  });
  return {
    waiting: () => queue.size().waiting,
    run: async ({ account, signal, pause }, work) => {
      const resume = pause();
      const begin = () => {
        resume();
        return work();
      };
      try {
        return await queue.run(account, begin, signal);
      } catch (error) {
        if (error instanceof QueueFullError) return undefined;
        throw error;
      } finally {
        resume();
      }
    },
  };
}
