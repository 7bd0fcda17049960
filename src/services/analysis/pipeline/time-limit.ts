import { withDeadline } from '../../../foundation/deadline.ts';

/** A step ended early because its session was canceled. */
export class CanceledError extends Error {
  constructor() {
    super('the session was canceled');
    this.name = 'CanceledError';
  }
}

/** What work leaves that did not end within its time. */
export const TIMED_OUT = Symbol('overrun');

/** Runs work within a time limit; the work's signal aborts at the limit or when the session is canceled. */
export async function withTimeLimit<Result>(
  limitMs: number,
  session: AbortSignal,
  work: (signal: AbortSignal, pause: () => () => void) => Promise<Result>,
): Promise<Result | typeof TIMED_OUT> {
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
    if (error === limit?.reason) return TIMED_OUT;
    throw error;
  }
}
