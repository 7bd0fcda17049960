import type { BackendName, CompletionOperation } from '../contract.ts';
import type { TokenUsage } from '../wire/token-usage.ts';

/** How a completion ended. */
export type CompletionOutcome = 'ok' | 'error' | 'aborted';

/** Where the numbers of tokens come from: the backend reported them, events were counted, they are unknown, or none were spent. */
export type UsageSource = 'reported' | 'counted' | 'unknown' | 'cached';

/** What one completion used. */
export interface UsageEntry {
  readonly caller: string;
  readonly backend: BackendName;
  readonly model: string;
  readonly operation: CompletionOperation;
  readonly outcome: CompletionOutcome;
  readonly source: UsageSource;
  readonly tokens: TokenUsage;
  /** In the currency of the price table; null when neither it nor the provider names a price. */
  readonly cost: number | null;
  readonly durationMs: number;
  /** Until the first event of a stream; null for plain answers and when none came. */
  readonly firstEventMs: number | null;
}

/** Keeps what completions used. */
export interface UsageLedger {
  record(entry: UsageEntry): void;
}

const UNKNOWN: TokenUsage = { promptTokens: null, completionTokens: null, cost: null };

/** The tokens of a completion: as reported, else one for each event of its stream, which is all that is known. */
export function knownTokens(
  reported: TokenUsage | undefined,
  events: number,
): { source: UsageSource; tokens: TokenUsage } {
  if (reported !== undefined) return { source: 'reported', tokens: reported };
  if (events === 0) return { source: 'unknown', tokens: UNKNOWN };
  return { source: 'counted', tokens: { promptTokens: null, completionTokens: events, cost: null } };
}
