import { type RawBuilder, sql } from 'kysely';

const REPLACEMENT = '\ufffd';

/**
 * The text with what PostgreSQL cannot keep (U+0000, lone surrogates) replaced by U+FFFD. Length and offsets stay the
 * same, in UTF-16 units and in code points.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', REPLACEMENT).replaceAll(/\p{Surrogate}/gu, REPLACEMENT);
}

/** JSON text of a value, its strings and keys made storable like storableText does; undefined becomes null. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  if (!text.includes('\\u')) return text;
  // JSON.stringify escapes a surrogate only when it is alone; the pair `\\` is matched first so that a quoted
  // backslash before "u0000" is left alone.
  return text.replaceAll(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (sequence) =>
    sequence.length > 2 ? REPLACEMENT : sequence,
  );
}

/** A jsonb value for a query: the driver would write a JavaScript array as an array of PostgreSQL, not as JSON. */
export function jsonb<Value>(value: Value): RawBuilder<Value> {
  return sql<Value>`${storableJson(value)}::jsonb`;
}
