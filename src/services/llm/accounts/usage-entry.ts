import type { Operation } from '../backends/backend.ts';
import type { BackendName } from '../contract.ts';
import type { Outcome } from '../gauges.ts';

/** Where the numbers of tokens come from: the backend told them, events were counted, or nobody knows. */
export type UsageSource = 'reported' | 'counted' | 'unknown';

/** What one completion used. */
export interface UsageEntry {
  readonly caller: string;
  readonly backend: BackendName;
  readonly model: string;
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly source: UsageSource;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** In the currency of the price table; null when neither it nor the provider tells. */
  readonly cost: number | null;
  readonly durationMs: number;
  /** Until the first event of a stream; null for plain answers and when none came. */
  readonly firstEventMs: number | null;
}

/** Keeps what completions used. */
export interface UsageLedger {
  record(entry: UsageEntry): void;
}
