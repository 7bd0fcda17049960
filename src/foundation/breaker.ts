/** When a circuit opens, and for how long. */
export interface BreakerRules {
  /** It opens only after so many requests within the window. */
  readonly requests: number;
  /** Share of failed requests, 0 to 1, that opens it. */
  readonly failureShare: number;
  /** Milliseconds until an open circuit lets one trial request through. */
  readonly openMs: number;
  /** Requests of so many last milliseconds are counted; 30 seconds unless said otherwise. */
  readonly windowMs?: number;
}

/** One slow answer among many changes nothing; a dead service is left alone after ten requests. */
export const DEFAULT_BREAKER: BreakerRules = { requests: 10, failureShare: 0.5, openMs: 5_000 };

/** `closed`: all requests pass. `half_open`: one trial request passes. `open`: none passes. */
export type BreakerState = 'closed' | 'half_open' | 'open';

/** A circuit under the name of what lies behind it. */
export interface Circuit {
  readonly name: string;
  state(): BreakerState;
}

/** What has circuits: a need of a service whose states are among its metrics. */
export interface HasCircuits {
  readonly circuits: readonly Circuit[];
}

const SEVERITY: readonly BreakerState[] = ['closed', 'half_open', 'open'];

/** The state of several circuits as one: that of the worst. */
export function worstState(states: Iterable<BreakerState>): BreakerState {
  return SEVERITY[Math.max(0, ...[...states].map((state) => SEVERITY.indexOf(state)))] ?? 'closed';
}

function isCircuited(need: unknown): need is HasCircuits {
  return typeof need === 'object' && need !== null && 'circuits' in need && Array.isArray(need.circuits);
}

/** The circuits among the needs of a service. */
export function circuitsOf(needs: object): Circuit[] {
  return Object.values(needs)
    .flat()
    .filter(isCircuited)
    .flatMap(({ circuits }) => circuits);
}

/** A permission to send one request; only the result of a trial moves a circuit that is open. */
export type Permit = 'normal' | 'trial';

const DEFAULT_WINDOW_MS = 30_000;
/** The window moves on by one slice at a time. */
const SLICES = 10;

interface Slice {
  number: number;
  requests: number;
  failures: number;
}

/**
 * A circuit breaker that counts requests over a sliding time window. Requests that a caller gave up are not counted. A class,
 * since the text-model gateway asks it for every completion.
 */
export class CircuitBreaker {
  private readonly rules: BreakerRules;
  private readonly sliceMs: number;
  private readonly now: () => number;
  private slices: Slice[] = [];
  private openUntil = 0;
  private opened = false;
  /** Until when no further trial is let through, because one runs; 0 when none does. */
  private trialUntil = 0;

  /** `now` is a clock in milliseconds. */
  constructor(rules: BreakerRules, now: () => number = () => performance.now()) {
    this.rules = rules;
    this.sliceMs = (rules.windowMs ?? DEFAULT_WINDOW_MS) / SLICES;
    this.now = now;
  }

  state(): BreakerState {
    if (!this.opened) return 'closed';
    return this.now() < this.openUntil ? 'open' : 'half_open';
  }

  /** Milliseconds until a trial may be sent; 0 when a request may be sent now. */
  waitMs(): number {
    if (!this.opened) return 0;
    return Math.max(0, this.openUntil - this.now(), this.trialUntil - this.now());
  }

  /**
   * Asks to send a request; undefined when it must not be sent. Each permit is handed back by one of succeeded, failed and
   * dropped. While a trial runs there is no second one, unless it takes longer than a circuit stays open.
   */
  admit(): Permit | undefined {
    if (!this.opened) return 'normal';
    if (this.waitMs() > 0) return undefined;
    this.trialUntil = this.now() + this.rules.openMs;
    return 'trial';
  }

  /** The request was answered. A trial closes the circuit; a request from before it opened says nothing about now. */
  succeeded(permit: Permit): void {
    if (this.opened && permit === 'trial') this.close();
    if (!this.opened) this.slice().requests++;
  }

  /** The request failed, after all its retries. */
  failed(permit: Permit): void {
    if (this.opened) {
      if (permit === 'trial') this.open();
      return;
    }
    const slice = this.slice();
    slice.requests++;
    slice.failures++;
    const requests = this.slices.reduce((sum, { requests: count }) => sum + count, 0);
    const failures = this.slices.reduce((sum, { failures: count }) => sum + count, 0);
    if (requests >= this.rules.requests && failures >= requests * this.rules.failureShare) this.open();
  }

  /** The request showed nothing: its caller left, or it was refused for a reason of its own. */
  dropped(permit: Permit): void {
    if (permit === 'trial') this.trialUntil = 0;
  }

  private open(): void {
    this.opened = true;
    this.trialUntil = 0;
    this.openUntil = this.now() + this.rules.openMs;
  }

  private close(): void {
    this.opened = false;
    this.trialUntil = 0;
    this.slices = [];
  }

  private slice(): Slice {
    const number = Math.floor(this.now() / this.sliceMs);
    const last = this.slices.at(-1);
    if (last?.number === number) return last;
    const fresh: Slice = { number, requests: 0, failures: 0 };
    this.slices = [...this.slices.filter((slice) => slice.number > number - SLICES), fresh];
    return fresh;
  }
}
