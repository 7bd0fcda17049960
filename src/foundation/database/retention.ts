import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Logger } from '../log.ts';
import { integer } from '../settings.ts';

/** A table whose rows are removed some days after the time in one of their columns. */
export interface RetentionRule {
  readonly table: string;
  /** The column; it has an index that begins with it. */
  readonly at: string;
  /** Days for which a row is kept; 0: for ever. */
  readonly days: number;
  /** Which of the old rows go; all unless it is said. */
  readonly only?: RawBuilder<unknown>;
}

/** Rows per DELETE statement, so that removing years of rows blocks nothing. */
const ROWS_AT_ONCE = 5_000;
/**
 * The first look waits until a start is over; it must come even where processes live shortly. A row lives at most one pause longer
 * than it may.
 */
const LOOKS_MS = { first: 60_000, every: 3_600_000 };

/** The setting of services with an audit log. Staff cannot change it at run time, so that nobody can shorten the log of their own actions. */
export const auditSettings = {
  LIMPEDE_AUDIT_DAYS: integer(1_095, 0, 36_500).describe(
    'Days for which it is kept who changed users, read sessions of others, or changed facts of the verification cache; 0 keeps it for ever.',
  ),
};

/** Deletes the rows older than their retention time; returns how many. */
export async function removeOldRows(
  queries: Kysely<unknown>,
  { table, at, days, only = sql`true` }: RetentionRule,
): Promise<number> {
  if (days === 0) return 0;
  let removed = 0;
  for (;;) {
    // The row is removed by its place, so that no table needs a key for this.
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${sql.ref(at)} < now() - ${days} * interval '1 day' and ${only}
        limit ${ROWS_AT_ONCE} for update skip locked))`.execute(queries);
    removed += Number(numAffectedRows);
    if (numAffectedRows < ROWS_AT_ONCE) return removed;
  }
}

/** Removes old rows from now on, once an hour, until the returned function is called. */
export function removeOldRowsHourly<Tables>(
  queries: Kysely<Tables>,
  rules: () => readonly RetentionRule[],
  log: Logger,
  looksMs = LOOKS_MS,
): () => Promise<void> {
  let looking: Promise<void> | undefined;
  const look = async () => {
    for (const rule of rules()) {
      const removed = await removeOldRows(queries as Kysely<unknown>, rule);
      if (removed > 0) log.info({ table: rule.table, removed }, 'old rows were removed');
    }
  };
  const begin = () => {
    looking ??= look()
      .catch((error: unknown) => log.warn({ err: error }, 'old rows could not be removed'))
      .finally(() => {
        looking = undefined;
      });
  };
  const first = setTimeout(begin, looksMs.first).unref();
  const timer = setInterval(begin, looksMs.every).unref();
  return async () => {
    clearTimeout(first);
    clearInterval(timer);
    await looking;
  };
}
