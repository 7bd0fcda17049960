/** When a circuit opens, and for how long. */
export interface BreakerRules {
  /** It opens only after so many requests within the window. */
  readonly requests: number;
  /** Share of failed requests, 0 to 1, that opens it. */
  readonly failureShare: number;
  /** Milliseconds until an open circuit lets one request try. */
  readonly openMs: number;
}

/** `closed`: all pass. `half_open`: one request tries. `open`: none passes. */
export type BreakerState = 'closed' | 'half_open' | 'open';

/** A permission to send one request; only that of a try moves a circuit that is open. */
export type Pass = 'free' | 'try';

/** Requests are counted over the last 30 seconds, in slices of 3. */
const SLICE_MS = 3000;
const SLICES = 10;

interface Slice {
  number: number;
  requests: number;
  failures: number;
}

/** The circuit of one backend. It counts requests, not tries, and never those that a caller gave up. */
export class Breaker {
  private readonly rules: BreakerRules;
  private readonly now: () => number;
  private slices: Slice[] = [];
  private openUntil = 0;
  private opened = false;
  /** Until when no further request may try, because one does; 0 when none does. */
  private tryingUntil = 0;

  constructor(rules: BreakerRules, now: () => number = () => performance.now()) {
    this.rules = rules;
    this.now = now;
  }

  state(): BreakerState {
    if (!this.opened) return 'closed';
    return this.now() < this.openUntil ? 'open' : 'half_open';
  }

  /** Milliseconds until a request may try again; 0 when it may now. */
  waitMs(): number {
    if (!this.opened) return 0;
    return Math.max(0, this.openUntil - this.now(), this.tryingUntil - this.now());
  }

  /**
   * Asks to send a request; undefined when it must not be sent. A pass that was given ends in succeeded, failed or dropped.
   * While one request tries no other does, unless it takes longer than a circuit stays open.
   */
  admit(): Pass | undefined {
    if (!this.opened) return 'free';
    if (this.waitMs() > 0) return undefined;
    this.tryingUntil = this.now() + this.rules.openMs;
    return 'try';
  }

  /** The backend answered. After a try the circuit closes; a request from before it opened proves nothing about now. */
  succeeded(pass: Pass): void {
    if (this.opened && pass === 'try') this.close();
    if (!this.opened) this.slice().requests++;
  }

  /** The backend failed, after all tries of the request. */
  failed(pass: Pass): void {
    if (this.opened) {
      if (pass === 'try') this.open();
      return;
    }
    const slice = this.slice();
    slice.requests++;
    slice.failures++;
    const requests = this.slices.reduce((sum, { requests: count }) => sum + count, 0);
    const failures = this.slices.reduce((sum, { failures: count }) => sum + count, 0);
    if (requests >= this.rules.requests && failures >= requests * this.rules.failureShare) this.open();
  }

  /** The request told nothing about the backend: its caller left, or it was refused for a reason of its own. */
  dropped(pass: Pass): void {
    if (pass === 'try') this.tryingUntil = 0;
  }

  private open(): void {
    this.opened = true;
    this.tryingUntil = 0;
    this.openUntil = this.now() + this.rules.openMs;
  }

  private close(): void {
    this.opened = false;
    this.tryingUntil = 0;
    this.slices = [];
  }

  private slice(): Slice {
    const number = Math.floor(this.now() / SLICE_MS);
    const last = this.slices.at(-1);
    if (last?.number === number) return last;
    const fresh: Slice = { number, requests: 0, failures: 0 };
    this.slices = [...this.slices.filter((slice) => slice.number > number - SLICES), fresh];
    return fresh;
  }
}
