import { setTimeout as pause } from 'node:timers/promises';
import { CanceledError } from '../pipeline/time-limit.ts';
import { type HoldRequest, type HoldResult, releaseStep } from '../store/step-holds.ts';
import type { Queries } from '../store/tables.ts';

/** Pause between two attempts to take a step that another delivery runs, in milliseconds. */
const LOOK_MS = 500;

/** Dependencies for taking and releasing steps. */
interface HoldTools {
  readonly queries: Queries;
  readonly hold: (request: HoldRequest) => Promise<HoldResult>;
}

/**
 * Runs a step unless its result is stored already; waits while another delivery runs it. Throws CanceledError when the signal
 * aborts during the wait.
 */
export async function withStepHold(
  { queries, hold }: HoldTools,
  own: HoldRequest,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  let answer = await hold(own);
  while (answer === 'busy') {
    await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw new CanceledError();
    answer = await hold(own);
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
