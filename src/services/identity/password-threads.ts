import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { createFairQueue, type FairQueue } from '../../foundation/fair-queue.ts';
import { packageFile } from '../../foundation/files.ts';
import { THREAD_ARGUMENTS } from '../../foundation/threads.ts';
import type { PasswordQuestion } from './passwords.ts';

/**
 * Hashes that are computed at once: two, or one where that leaves no core for anything else. Node's own thread pool is
 * left alone: the check of a token, a file or a name would wait there behind slow hashes.
 */
const THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));
/** Checks that wait, about 0.2 s of work each: the last one is answered within a few seconds. */
const WAITING = 32;
/** Checks of one network address under way: an office, not a machine that guesses. */
const EACH = 8;
/** A thread without work ends after this long, in milliseconds. */
const IDLE_MS = 30_000;

/** Password hashes, computed in threads of their own. */
export interface PasswordThreads extends Pick<FairQueue, 'refusal'> {
  /** Whether a password belongs to a hash; `from` is the network address that asks. Rejects with QueueFullError when too many wait. */
  matches(question: PasswordQuestion, from: string): Promise<boolean>;
  hash(password: string): Promise<string>;
  close(): Promise<void>;
}

/** Makes the threads; each starts with its first work. */
export function createPasswordThreads(): PasswordThreads {
  const pool = new Piscina({
    filename: packageFile('dist', 'identity-passwords-worker.js'),
    execArgv: THREAD_ARGUMENTS,
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
    atomics: 'disabled',
  });
  const queue = createFairQueue({ running: THREADS, waiting: WAITING, each: EACH });
  return {
    refusal: queue.refusal,
    matches: (question, from) => queue.run(from, () => pool.run(question, { name: 'matches' })),
    hash: (password) => pool.run(password, { name: 'hash' }),
    close: () => pool.destroy(),
  };
}
