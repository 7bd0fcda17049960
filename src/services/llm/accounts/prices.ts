import type { BackendName } from '../contract.ts';
import { lookUp, type Price } from '../policy.ts';
import type { TokenUsage } from '../token-usage.ts';

/** Prices are per so many tokens. */
const PRICED_TOKENS = 1_000_000;

/** The cost of an answer: by the price table, else what the provider itself charged, else null. */
export function costOf(
  prices: Readonly<Record<string, Price>>,
  backend: BackendName,
  model: string,
  usage: TokenUsage,
): number | null {
  const price = lookUp(prices, backend, model);
  if (price === undefined) return usage.cost;
  const { promptTokens, completionTokens } = usage;
  if (promptTokens === null && completionTokens === null) return null;
  return ((promptTokens ?? 0) * price.input + (completionTokens ?? 0) * price.output) / PRICED_TOKENS;
}
