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
  private probing = false;

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
    const left = this.openUntil - this.now();
    if (left > 0) return left;
    return this.probing ? this.rules.openMs : 0;
  }

  /** Asks to send a request. One that was admitted must end in succeeded, failed or dropped. */
  admit(): boolean {
    if (!this.opened) return true;
    if (this.probing || this.now() < this.openUntil) return false;
    this.probing = true;
    return true;
  }

  /** The backend answered: the circuit closes. */
  succeeded(): void {
    if (this.opened) this.close();
    this.slice().requests++;
  }

  /** The backend failed, after all tries of the request. */
  failed(): void {
    if (this.opened) {
      this.open();
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
  dropped(): void {
    this.probing = false;
  }

  private open(): void {
    this.opened = true;
    this.probing = false;
    this.openUntil = this.now() + this.rules.openMs;
  }

  private close(): void {
    this.opened = false;
    this.probing = false;
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
