import { withDeadline } from '../../../foundation/deadline.ts';

/** A step ended early because its session was canceled. */
export class CanceledError extends Error {
  constructor() {
    super('the session was canceled');
    this.name = 'CanceledError';
  }
}

/** The result of work that did not end within its time limit. */
export const OVERRUN = Symbol('overrun');

/**
 * Runs work for at most `limitMs` milliseconds; resolves to TIMED_OUT at the limit, throws CanceledError when the session was
 * canceled. The signal of the work aborts in both cases; `pause` stops its clock.
 */
export async function withTimeLimit<Result>(
  limitMs: number,
  session: AbortSignal,
  work: (signal: AbortSignal, pause: () => () => void) => Promise<Result>,
): Promise<Result | typeof OVERRUN> {
  let limit: AbortSignal | undefined;
  try {
    const result = await withDeadline(limitMs, session, (signal, { pause }) => {
      limit = signal;
      return work(signal, pause);
    });
    if (session.aborted) throw new CanceledError();
    return result;
  } catch (error) {
    if (session.aborted) throw new CanceledError();
    if (error === limit?.reason) return OVERRUN;
    throw error;
  }
}
