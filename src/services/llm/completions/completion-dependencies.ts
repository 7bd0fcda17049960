import type { CircuitBreaker } from '../../../foundation/breaker.ts';
import type { Backend } from '../backends/backend.ts';
import type { BackendName } from '../contract.ts';
import type { UsageLedger } from '../usage/usage-entry.ts';
import type { TokenUsage } from '../wire/token-usage.ts';
import type { CompletionRules } from './completion-clock.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { BackendMetrics } from './metrics.ts';
import type { Watchable, Watchdog } from './watchdog.ts';

/** A configured backend with its circuit breaker and its metrics. */
export interface BackendEntry {
  readonly backend: Backend;
  readonly breaker: CircuitBreaker;
  readonly metrics: BackendMetrics;
}

/** A backend to ask, and the model to ask it for. */
export interface Target {
  readonly entry: BackendEntry;
  readonly model: string;
}

/** A completion that runs. */
export interface RunningCompletion extends Watchable {
  /** Ends it with a failure, as at a shutdown. */
  stop(): void;
}

/** What all completions share. */
export interface CompletionDependencies {
  readonly rules: CompletionRules;
  readonly running: Watchdog<RunningCompletion>;
  readonly limiter: ConcurrencyLimiter;
  readonly ledger: UsageLedger | undefined;
  /** The cost of an answer by the price table; null when it has no price. */
  costOf(backend: BackendName, model: string, usage: TokenUsage): number | null;
}

/** Who answered a completion. */
export interface AnswerSource {
  readonly backend: BackendName;
  readonly model: string;
}

/** Records an answer, for the cache. */
export interface AnswerRecorder {
  record(bytes: Buffer): void;
  /** The completion ended; `source` is undefined when the answer must not be used again. */
  finish(source: AnswerSource | undefined): void;
}
