import { type CompletionOutcome, knownTokens } from '../usage/usage-entry.ts';
import type { CompletionRequest } from '../wire/completion-request.ts';
import type { TokenUsage } from '../wire/token-usage.ts';
import type { CompletionDependencies, Target } from './completion-dependencies.ts';

/** How a completion ended, as far as its usage is concerned. */
export interface CompletionEnd {
  readonly outcome: CompletionOutcome;
  /** What the backend itself reported. */
  readonly usage: TokenUsage | undefined;
  /** Events of the stream; 0 for a plain answer. */
  readonly events: number;
  readonly durationMs: number;
  /** Until the first event of a stream; null when there was none. */
  readonly firstEventMs: number | null;
}

/** Counts an ended completion: in the metrics of its backend, and in the ledger. */
export function recordUsage(
  { ledger, costOf }: CompletionDependencies,
  { caller, operation }: CompletionRequest,
  { entry, model }: Target,
  { outcome, usage, events, durationMs, firstEventMs }: CompletionEnd,
): void {
  const { backend, metrics } = entry;
  metrics.outcomes[outcome].inc();
  metrics.duration.observe(durationMs / 1000);
  const { source, tokens } = knownTokens(usage, events);
  if (tokens.promptTokens) metrics.promptTokens.inc(tokens.promptTokens);
  if (tokens.completionTokens) metrics.completionTokens.inc(tokens.completionTokens);
  ledger?.record({
    caller,
    backend: backend.name,
    model,
    operation,
    outcome,
    source,
    tokens,
    cost: costOf(backend.name, model, tokens),
    durationMs,
    firstEventMs,
  });
}
