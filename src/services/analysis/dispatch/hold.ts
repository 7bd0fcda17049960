import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Canceled } from '../pipeline/time-limit.ts';
import { componentStarted, isComponent } from '../session/progress-event.ts';
import { type HoldRequest, holdStep, releaseStep } from '../store/step-holds.ts';
import type { Queries } from '../store/tables.ts';

/** How often a step that another delivery runs is looked at, in milliseconds. */
const LOOK_MS = 500;

/**
 * Does the work of a step that no other delivery does or has done; waits while one does. Throws Canceled when the signal aborts
 * meanwhile.
 */
export async function holding(
  queries: Queries,
  request: Omit<HoldRequest, 'holder'>,
  signal: AbortSignal,
  work: (holder: string) => Promise<void>,
): Promise<void> {
  const own = { ...request, holder: randomUUID() };
  const { step, holder } = own;
  const events = isComponent(step) ? [componentStarted(step)] : [];
  let hold = await holdStep(queries, own, events);
  while (hold === 'busy') {
    await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw new Canceled();
    hold = await holdStep(queries, own, events);
  }
  if (hold === 'stored') return;
  try {
    await work(holder);
  } catch (error) {
    // Where this fails too, the message says that it is delivered again, and its next holder takes the step.
    await releaseStep(queries, own).catch(() => undefined);
    throw error;
  }
}
