import type { Pool, QueryResultRow } from 'pg';
import type { Logger } from '../log.ts';
import type { EmbeddedLink } from './embedded-link.ts';
import { connectionErrorReason } from './engine.ts';

/** How often to look, when anything happened at all. */
const INTERVAL_MS = 15_000;
/** Bytes of log after which a checkpoint is made: bounds the disk it takes and the time a recovery needs. */
const CHECKPOINT_BYTES = 16 * 2 ** 20;
/** Bytes of log after which dead rows are removed and statistics renewed. */
const VACUUM_BYTES = 32 * 2 ** 20;

/**
 * Does for the embedded engine what background processes do for a server: it runs without them, so that its log and its
 * dead rows would grow for ever. Each step takes the connection for itself, so that others get their turn in between.
 */
export function startMaintenance(pool: Pool, link: EmbeddedLink, log: Logger): { stop(): Promise<void> } {
  let sent = link.sent;
  let vacuumedAt: number | undefined;
  let running: Promise<void> | undefined;

  async function step<Row extends QueryResultRow>(text: string): Promise<Row[]> {
    const client = await pool.connect();
    try {
      return (await link.unhurried(() => client.query<Row>(text))).rows;
    } finally {
      client.release();
    }
  }

  async function tidy(): Promise<void> {
    const [position] = await step<{ end: number; since: number }>(positionQuery);
    if (!position) return;
    if (vacuumedAt === undefined || position.end - vacuumedAt > VACUUM_BYTES) {
      // The first look after a start always does it: what an earlier run left behind is not known.
      for (const { name } of await step<{ name: string }>(tablesQuery))
        await step(`vacuum (analyze) ${name}`);
      vacuumedAt = position.end;
    }
    if (position.since > CHECKPOINT_BYTES) await step('checkpoint');
  }

  const timer = setInterval(() => {
    if (running || link.sent === sent) return;
    running = tidy()
      .catch((error) =>
        log.warn({ reason: connectionErrorReason(error) }, 'the embedded database was not tidied'),
      )
      .finally(() => {
        sent = link.sent;
        running = undefined;
      });
  }, INTERVAL_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

const positionQuery = `select (pg_current_wal_lsn() - '0/0')::bigint as "end",
  (pg_current_wal_lsn() - redo_lsn)::bigint as since from pg_control_checkpoint()`;

const tablesQuery = `select format('%I.%I', schemaname, tablename) as name from pg_tables
  where schemaname not in ('pg_catalog', 'information_schema')`;
