import { type Kysely, sql } from 'kysely';
import { DatabaseUnavailableError } from './engine.ts';

/** A look whether the database can write is believed for this long, in milliseconds: health may be asked for all the time. */
const WRITE_INTERVAL_MS = 5_000;

/**
 * Writes about a quarter of a megabyte to the disk of the database, as a sort does that has too little memory, and then
 * one record to its log. Neither leaves a table or a dead row behind. A full disk refuses the first, before the log is
 * touched.
 */
async function write(queries: Kysely<unknown>): Promise<void> {
  await queries.transaction().execute(async (transaction) => {
    await sql`set local work_mem = '64kB'`.execute(transaction);
    // Two columns: newer servers sort a single one in less memory than it takes.
    await sql`select count(line) from (
      select n, repeat(md5(n::text), 8) as line from generate_series(1, 1000) as n order by 1 offset 0
    ) as lines`.execute(transaction);
    const { rows } = await sql<{
      reads: boolean;
    }>`select current_setting('transaction_read_only')::bool as reads,
      pg_logical_emit_message(true, 'limpede', 'probe')`.execute(transaction);
    if (rows[0]?.reads !== false) throw new DatabaseUnavailableError('the database only reads');
  });
}

/**
 * Looks whether the database answers, and at most once in a while whether it can write: on a full disk it goes on
 * answering `select 1`. Those who ask at the same time share one look.
 */
export function createProbe(
  queries: Kysely<unknown>,
  writes: (queries: Kysely<unknown>) => Promise<void> = write,
): (signal?: AbortSignal) => Promise<void> {
  let last: { readonly at: number; readonly result: Promise<void> } | undefined;
  return async (signal) => {
    signal?.throwIfAborted();
    const now = performance.now();
    if (last === undefined || now - last.at > WRITE_INTERVAL_MS) last = { at: now, result: writes(queries) };
    await Promise.all([last.result, sql`select 1`.execute(queries)]);
  };
}
