import { DeadlineError, withDeadline } from '../../../foundation/deadline.ts';

/** How one check ended. */
export type CheckState = 'answered' | 'failed' | 'skipped' | 'off';

/** The result of one check, with its facts when it was answered. */
export interface LiveCheck<Facts> {
  state: CheckState;
  /** Why there is no answer; null when there is one. */
  reason: string | null;
  durationMs: number;
  facts: Facts | undefined;
}

/** Why a live check got no answer. Thrown inside a check, never past it. */
export class NoAnswerError extends Error {
  readonly state: 'failed' | 'skipped';
  readonly reason: string;

  constructor(reason: string, state: 'failed' | 'skipped' = 'failed', options?: ErrorOptions) {
    super(reason, options);
    this.name = 'NoAnswerError';
    this.reason = reason;
    this.state = state;
  }
}

/** A check that did not run. */
export function notRun<Facts>(state: 'failed' | 'skipped' | 'off', reason: string): LiveCheck<Facts> {
  return { state, reason, durationMs: 0, facts: undefined };
}

/** Runs one check for at most `timeoutMs` milliseconds; whatever goes wrong becomes a reason. */
export async function runLiveCheck<Facts>(
  work: (signal: AbortSignal) => Promise<Facts>,
  signal: AbortSignal,
  timeoutMs = Number.POSITIVE_INFINITY,
): Promise<LiveCheck<Facts>> {
  const started = performance.now();
  const ended = (state: CheckState, reason: string | null, facts?: Facts): LiveCheck<Facts> => ({
    state,
    reason,
    durationMs: Math.round(performance.now() - started),
    facts,
  });
  try {
    return ended('answered', null, await withDeadline(timeoutMs, signal, work));
  } catch (error) {
    if (error instanceof NoAnswerError) return ended(error.state, error.reason);
    return ended('failed', error instanceof DeadlineError ? 'timeout' : 'error');
  }
}
