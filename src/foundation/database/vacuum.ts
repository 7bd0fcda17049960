import type { Pool, PoolClient } from 'pg';
import type { Logger } from '../log.ts';
import { connectionErrorReason, type DatabaseEngine } from './engine.ts';

/** How often to look, as autovacuum does. */
const INTERVAL_MS = 60_000;

/**
 * Removes dead rows on a server that does not do so itself (`autovacuum = off`): there every table would grow with each change, for
 * ever. Other processes may do the same at the same time: this one skips tables that they vacuum.
 */
export function vacuumWithoutAutovacuum(
  { pool, unhurried }: Pick<DatabaseEngine, 'pool' | 'unhurried'>,
  log: Logger,
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let isLogged = false;
  const look = async (): Promise<void> => {
    const { rows } = await pool.query<{ off: boolean }>(
      "select current_setting('autovacuum') = 'off' as off",
    );
    if (rows[0]?.off !== true) return;
    if (!isLogged) {
      isLogged = true;
      log.warn(
        'autovacuum is off on the PostgreSQL server: dead rows are removed from here; better switch it on',
      );
    }
    await unhurried(() => vacuumTables(pool));
  };
  const timer = setInterval(() => {
    // No connection was opened yet, or all are in use.
    if (running !== undefined || pool.totalCount === 0 || pool.waitingCount > 0) return;
    running = look()
      .catch((error) => log.warn({ reason: connectionErrorReason(error) }, 'dead rows were not removed'))
      .finally(() => {
        running = undefined;
      });
  }, INTERVAL_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

/** Vacuums the tables that autovacuum would by its defaults; the names of those. */
export async function vacuumTables(pool: Pool): Promise<string[]> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ name: string }>(tablesQuery);
    for (const { name } of rows) await vacuum(client, name);
    return rows.map(({ name }) => name);
  } finally {
    client.release();
  }
}

async function vacuum(client: PoolClient, name: string): Promise<void> {
  // A large table takes longer than a statement may.
  await client.query('set statement_timeout = 0');
  try {
    await client.query(`vacuum (analyze, skip_locked) ${name}`);
  } finally {
    await client.query('reset statement_timeout');
  }
}

/** Our tables with more than 50 dead rows and a fifth of all, or as many rows changed since statistics were made as a tenth. */
const tablesQuery = `
  select format('%I.%I', own.schemaname, own.relname) as name
  from pg_stat_user_tables own
  join pg_class on pg_class.oid = own.relid
  left join pg_stat_all_tables large on large.relid = pg_class.reltoastrelid
  where own.schemaname = current_schema() and pg_has_role(pg_class.relowner, 'usage')
    and (own.n_dead_tup > 50 + 0.2 * own.n_live_tup or large.n_dead_tup > 50 + 0.2 * large.n_live_tup
      or own.n_mod_since_analyze > 50 + 0.1 * own.n_live_tup)`;
