import { z } from 'zod';
import { mostSpecific } from '../backends/model-table.ts';
import type { BackendName } from '../contract.ts';
import type { TokenUsage } from '../wire/token-usage.ts';

/** The price of a model, in the currency of the price table. */
export const price = z.strictObject({
  input: z.number().min(0).describe('Per million prompt tokens.'),
  output: z.number().min(0).describe('Per million completion tokens.'),
});
export type Price = z.infer<typeof price>;

/** Prices are per so many tokens. */
const PRICED_TOKENS = 1_000_000;

/** The cost of an answer: by the price table, else what the provider itself charged, else null. */
export function costOf(
  prices: Readonly<Record<string, Price>>,
  backend: BackendName,
  model: string,
  usage: TokenUsage,
): number | null {
  const modelPrice = mostSpecific(prices, backend, model);
  if (modelPrice === undefined) return usage.cost;
  const { promptTokens, completionTokens } = usage;
  if (promptTokens === null && completionTokens === null) return null;
  return (
    ((promptTokens ?? 0) * modelPrice.input + (completionTokens ?? 0) * modelPrice.output) / PRICED_TOKENS
  );
}
