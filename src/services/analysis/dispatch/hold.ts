import { setTimeout as pause } from 'node:timers/promises';
import { CanceledError } from '../pipeline/time-limit.ts';
import { type Hold, type HoldRequest, releaseStep } from '../store/step-holds.ts';
import type { Queries } from '../store/tables.ts';

/** How often a step that another delivery runs is looked at, in milliseconds. */
const LOOK_MS = 500;

/** What steps are taken and given back with. */
interface HoldTools {
  readonly queries: Queries;
  readonly hold: (request: HoldRequest) => Promise<Hold>;
}

/**
 * Does the work of a step that no other delivery does or has done; waits while one does. Throws CanceledError when the signal aborts
 * meanwhile.
 */
export async function holding(
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
