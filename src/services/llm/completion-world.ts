import type { CircuitBreaker } from '../../foundation/breaker.ts';
import type { UsageLedger } from './accounts/usage-entry.ts';
import type { Backend, Operation } from './backends/backend.ts';
import type { NamedFields } from './completion-request.ts';
import type { BackendName } from './contract.ts';
import type { BackendGauges } from './gauges.ts';
import type { TokenUsage } from './token-usage.ts';
import type { Watchdog, Watched } from './watchdog.ts';

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

/** A backend with what is kept about it. */
export interface BackendPlace {
  readonly backend: Backend;
  readonly breaker: CircuitBreaker;
  readonly gauges: BackendGauges;
}

/** A place to ask, and the model to ask there. */
export interface Target {
  readonly place: BackendPlace;
  readonly model: string;
}

/** A checked request. */
export interface CompletionRequest {
  readonly operation: Operation;
  readonly body: Buffer;
  readonly parsed: Readonly<Record<string, unknown>>;
  readonly fields: NamedFields;
  readonly caller: string;
}

/** A completion that runs. */
export interface Running extends Watched {
  /** Ends it with a failure, as at a shutdown. */
  stop(): void;
}

/** What completions share. */
export interface CompletionWorld {
  readonly rules: CompletionRules;
  readonly running: Watchdog<Running>;
  readonly ledger: UsageLedger | undefined;
  /** The cost of an answer by the price table; null when it has no price. */
  cost(backend: BackendName, model: string, usage: TokenUsage): number | null;
}

/** Who answered a completion. */
export interface Answered {
  readonly backend: BackendName;
  readonly model: string;
}

/** Keeps what is answered, for the cache. */
export interface AnswerKeeper {
  keep(bytes: Buffer): void;
  /** The completion ended; `by` is who answered, or undefined when the answer must not be used again. */
  finish(by: Answered | undefined): void;
}
