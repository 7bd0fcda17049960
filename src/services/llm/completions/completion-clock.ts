/** Time limits and retries of completions, in milliseconds. */
export interface CompletionRules {
  readonly firstEventMs: number;
  readonly eventMs: number;
  /** For a plain answer of one backend. */
  readonly answerMs: number;
  readonly totalMs: number;
  /** Silence after which a comment keeps a stream open; 0: never. */
  readonly keepAliveMs: number;
  readonly retries: number;
  readonly retryDelayMs: number;
  readonly retryDeadlineMs: number;
  readonly largestAnswerBytes: number;
  readonly disableThinking: boolean;
  readonly askUsage: boolean;
}

/** What is due: the total time is over, the backend was silent for too long, or the caller needs a sign of life. */
export type DueEvent = 'total' | 'silence' | 'keep_alive' | undefined;

/** How long a backend may keep the connection open after [DONE], in milliseconds; the end mostly comes with it. */
const AFTER_DONE_MS = 500;

/** The time limits of one completion. Times are milliseconds of performance.now(). */
export class CompletionClock {
  readonly startedAt: number;
  /** When the first event of a stream came; 0 before. */
  firstEventAt = 0;
  /** When the backend last gave a sign of life; 0 before it was asked. */
  lastSignAt = 0;
  /** When the caller was last sent something. */
  lastSentAt: number;
  /** Whether the backend waits for a caller who reads slowly. */
  paused = false;
  /** Whether [DONE] came. */
  done = false;
  /** Whether a retry waits for its time: the backend is not asked meanwhile, so it cannot be late. */
  backingOff = false;
  private readonly rules: CompletionRules;
  private readonly stream: boolean;

  constructor(rules: CompletionRules, stream: boolean, now: number) {
    this.rules = rules;
    this.stream = stream;
    this.startedAt = now;
    this.lastSentAt = now;
  }

  /** When `due` must be asked at the latest. */
  nextCheck(): number {
    const { totalMs, keepAliveMs } = this.rules;
    const sign = Math.max(this.lastSignAt, this.startedAt);
    const end = Math.min(sign + this.silenceLimit(), this.startedAt + totalMs);
    return this.stream && keepAliveMs > 0 ? Math.min(end, this.lastSentAt + keepAliveMs) : end;
  }

  /** What is due now. */
  due(now: number): DueEvent {
    const { totalMs, keepAliveMs } = this.rules;
    if (!this.backingOff) {
      if (now >= this.startedAt + totalMs) return 'total';
      if (this.lastSignAt > 0 && now >= this.lastSignAt + this.silenceLimit()) return 'silence';
    }
    const silentToCaller = this.stream && keepAliveMs > 0 && now >= this.lastSentAt + keepAliveMs;
    return silentToCaller ? 'keep_alive' : undefined;
  }

  /** Whether a retry after `delay` would still start in time. */
  allowsRetry(now: number, delay: number): boolean {
    const { retryDeadlineMs, totalMs } = this.rules;
    return now - this.startedAt + delay <= Math.min(retryDeadlineMs, totalMs);
  }

  /** How long the backend may stay silent now. A caller who reads slowly is no silence of the backend. */
  private silenceLimit(): number {
    const { firstEventMs, eventMs, answerMs, totalMs } = this.rules;
    if (this.paused) return totalMs;
    if (!this.stream) return answerMs;
    if (this.done) return Math.min(eventMs, AFTER_DONE_MS);
    return this.firstEventAt > 0 ? eventMs : firstEventMs;
  }
}
