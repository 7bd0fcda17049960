/** Why a deadline fired. */
export type DeadlineReason = 'timeout' | 'aborted';

/** A signal with an end, and the reason why it came. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** What fired; undefined while neither has. */
  readonly reason: DeadlineReason | undefined;
  remainingMs(): number;
  /** Frees the timer and the caller's signal; to be called in every case. */
  stop(): void;
}

/** Fires when the caller leaves or the time, in milliseconds, is up. */
export function startDeadline(totalMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let reason: DeadlineReason | undefined;
  const end = (why: DeadlineReason) => {
    reason ??= why;
    controller.abort(new Error(why));
  };
  const leave = () => end('aborted');
  const timer = setTimeout(end, totalMs, 'timeout');
  if (caller?.aborted === true) leave();
  else caller?.addEventListener('abort', leave, { once: true });
  const endsAt = performance.now() + totalMs;
  return {
    signal: controller.signal,
    get reason() {
      return reason;
    },
    remainingMs: () => endsAt - performance.now(),
    stop: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', leave);
    },
  };
}
