import { createHash } from 'node:crypto';
import { CompiledQuery, type Kysely } from 'kysely';

const names = new Map<string, string>();

/** Runs a statement with its parameters, within a transaction or without. */
export type PreparedStatement<Row> = <Tables>(
  queries: Kysely<Tables>,
  parameters: readonly unknown[],
) => Promise<readonly Row[]>;

/**
 * A statement that runs so often that a server parses and plans it once for each connection. Its text is built once, and it names
 * the columns that it returns: a plan that is kept fails when `*` stands for others since.
 */
export function prepareStatement<Row>(text: string): PreparedStatement<Row> {
  names.set(text, `limpede_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`);
  return async (queries, parameters) => {
    const { rows } = await queries.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]));
    return rows;
  };
}

/** The name under which a server keeps a statement; undefined for one that is not prepared. */
export function nameOfStatement(text: string): string | undefined {
  return names.get(text);
}
