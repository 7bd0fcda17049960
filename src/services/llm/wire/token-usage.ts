import { valueEnd } from './json-bytes.ts';

/** Tokens of one completion; null where unknown. `cost` is what the provider itself charged, in its currency. */
export interface TokenUsage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cost: number | null;
}

const KEY = Buffer.from('"usage"');
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;

/** No completion has more tokens, and none costs more: what a backend claims beyond that is no number to add up. */
const LARGEST_CLAIM = 1e9;

function amount(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= LARGEST_CLAIM ? value : null;
}

function count(value: unknown): number | null {
  return Number.isInteger(value) ? amount(value) : null;
}

/** Reads a `usage` object in the shape of chat-completion servers. */
export function readUsage(usage: unknown): TokenUsage | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined;
  const { prompt_tokens, completion_tokens, cost } = usage as Record<string, unknown>;
  const promptTokens = count(prompt_tokens);
  const completionTokens = count(completion_tokens);
  if (promptTokens === null && completionTokens === null) return undefined;
  return { promptTokens, completionTokens, cost: amount(cost) };
}

/** The place of the object of a `"usage"` key at `key`, or -1 when it holds none. Quotes inside strings are escaped, so a match is a key. */
function objectAfter(bytes: Buffer, key: number): number {
  let index = key + KEY.length;
  while (bytes[index] === 0x20) index++;
  if (bytes[index] !== COLON) return -1;
  index++;
  while (bytes[index] === 0x20 || bytes[index] === 0x0a) index++;
  return bytes[index] === OPEN_BRACE ? index : -1;
}

/** The usage inside a JSON text, found from its end without parsing the whole. */
export function usageIn(bytes: Buffer, from = 0): TokenUsage | undefined {
  let key = bytes.lastIndexOf(KEY);
  while (key >= from) {
    const start = objectAfter(bytes, key);
    if (start >= 0) {
      try {
        const usage = readUsage(JSON.parse(bytes.toString('utf8', start, valueEnd(bytes, start))));
        if (usage !== undefined) return usage;
      } catch {
        // Not the usage object after all: look further to the front.
      }
    }
    if (key === 0) break;
    key = bytes.lastIndexOf(KEY, key - 1);
  }
  return undefined;
}
