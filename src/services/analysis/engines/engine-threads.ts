import { Piscina } from 'piscina';
import { packageFile } from '../../../foundation/files.ts';
import type { Logger } from '../../../foundation/log.ts';
import { THREAD_ARGUMENTS } from '../../../foundation/threads.ts';

/** Threads that run the engines; each loads an engine, with its weights, at its first task. */
export interface EngineThreads {
  /** Runs a task by its name; an aborted signal ends its thread. */
  run<Result>(
    input: unknown,
    options: { readonly name: string; readonly signal?: AbortSignal },
  ): Promise<Result>;
  /** Throws when no thread is left. */
  probe(): void;
  close(): Promise<void>;
}

/** Threads that are open, and how many opened them. */
interface OpenThreads {
  readonly pool: Piscina;
  users: number;
}

/** By their number: who opens as many gets the same ones, with what they loaded, as long as one user has them. */
const open = new Map<number, OpenThreads>();

function startThreads(count: number, log: Logger): OpenThreads {
  const pool = new Piscina({
    filename: packageFile('dist', 'text-engines-worker.js'),
    execArgv: THREAD_ARGUMENTS,
    minThreads: count,
    maxThreads: count,
    // Engines never wait: without it a worker would hold its thread between two tasks for nothing.
    atomics: 'disabled',
  });
  // Without a listener a worker that cannot start would end the process; the caller gets the error of the failed task instead.
  pool.on('error', (error: unknown) => log.error({ err: error }, 'a text engine failed outside a task'));
  const threads = { pool, users: 0 };
  open.set(count, threads);
  return threads;
}

/** Opens so many threads, or those that are open already in this process; the last who closes them ends them. */
export function openEngineThreads(count: number, log: Logger): EngineThreads {
  const threads = open.get(count) ?? startThreads(count, log);
  threads.users += 1;
  const { pool } = threads;
  let closed = false;
  return {
    run: (input, options) => pool.run(input, options),
    probe: () => {
      if (closed || pool.threads.length === 0) throw new Error('no thread of the text engines runs');
    },
    close: async () => {
      if (closed) return;
      closed = true;
      threads.users -= 1;
      if (threads.users > 0) return;
      open.delete(count);
      await pool.destroy();
    },
  };
}
