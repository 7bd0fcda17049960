import { createFairQueue, QueueFullError } from '../../../foundation/fair-queue.ts';

/** Who waits for a turn, and how the wait is told. */
export interface Waiting {
  readonly account: string;
  readonly signal: AbortSignal;
  /** Stops the clock of the caller's time limit; the result starts it again. */
  readonly pause: () => () => void;
}

/** Gives turns to work on media: a few at once, users in turns. */
export interface Turns {
  /** Runs work when its turn comes; its time counts from there. Undefined: there is no room to wait. */
  run<Result>(waiting: Waiting, work: () => Promise<Result>): Promise<Result | undefined>;
  /** Pieces of work that wait. */
  waiting(): number;
}

/** Media that may wait for their turn here: every step that this process can have under way. */
const MOST_WAITING = 2_000;

/** Turns for so much work at once. */
export function createTurns(atOnce: () => number): Turns {
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
