import { setTimeout as pause } from 'node:timers/promises';
import { CanceledError } from '../pipeline/time-limit.ts';
import { releaseStep, type StepLockRequest, type StepLockResult } from '../store/step-locks.ts';
import type { Queries } from '../store/tables.ts';

/** Pause between two attempts to take a step that another delivery runs, in milliseconds. */
const RETRY_MS = 500;

/** Dependencies for taking and releasing steps. */
interface LockDependencies {
  readonly queries: Queries;
  readonly lock: (request: StepLockRequest) => Promise<StepLockResult>;
}

/**
 * Runs a step unless its result is stored already; waits while another delivery runs it. Throws CanceledError when the signal
 * aborts during the wait.
 */
export async function withStepLock(
  { queries, lock }: LockDependencies,
  own: StepLockRequest,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  let answer = await lock(own);
  while (answer === 'busy') {
    await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw new CanceledError();
    answer = await lock(own);
  }
  if (answer === 'stored') return;
  try {
    await work();
  } catch (error) {
    // Where this fails too, the message says that it is delivered again, and its next holder takes the step.
    await releaseStep(queries, own).catch(() => undefined);
    throw error;
  }
}
