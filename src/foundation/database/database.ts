import { Kysely, PostgresDialect } from 'kysely';
import type { Logger } from '../log.ts';
import { cancellable } from './cancel.ts';
import { openEmbedded } from './embedded.ts';
import { wrapPoolErrors } from './engine.ts';
import { migrate } from './migrations.ts';
import { openPostgres, retryUntilReachable } from './postgres.ts';
import { createProbe } from './probe.ts';

/** A PostgreSQL database: a server, or the engine embedded in this process. SQL is that of PostgreSQL 15. */
export interface Database {
  readonly engine: 'embedded' | 'postgres';
  /** Typed queries. Keep transactions short and never ask for a second connection inside one: the embedded engine has one. */
  kysely<Tables>(): Kysely<Tables>;
  /**
   * Reads on one connection, and rejects with the reason of the signal when it aborts before the end. A server cancels
   * the running statement; the embedded engine cannot, there the rejection waits for the end of the work.
   */
  cancellable<Tables, Result>(
    signal: AbortSignal,
    work: (queries: Kysely<Tables>) => Promise<Result>,
  ): Promise<Result>;
  /** Applies the owner's SQL migrations (`0001_name` to text) that are missing; refuses one that was changed since. */
  migrate(owner: string, migrations: Record<string, string>): Promise<void>;
  /**
   * Calls `onNotification` with the payload of each `pg_notify` on the channel, after its transaction was committed; with an
   * empty payload when some may have been missed. Resolves once it is subscribed; the result unsubscribes.
   */
  listen(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>;
  /** Rejects with a short reason when the database does not answer or cannot write. */
  probe(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Where the database is. */
export interface DatabaseOptions {
  /** A postgres:// address; unset means the embedded engine in a folder of `home`. */
  readonly url?: string | undefined;
  readonly home: string;
  readonly log: Logger;
  /** How long the first migration waits for a server that is still starting. */
  readonly patienceMs?: number;
  /** How long one statement may run; the default is 30 s on a server, 60 s on the embedded engine. */
  readonly statementTimeoutMs?: number;
  /** Connections of this process to a server, at most; the default is 10, and one more to listen. */
  readonly connections?: number;
}

const DEFAULT_PATIENCE_MS = 30_000;

/** Opens the database; a server is first connected to when it is first asked. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, home, log, patienceMs = DEFAULT_PATIENCE_MS, statementTimeoutMs, connections } = options;
  const engine =
    url === undefined
      ? await openEmbedded(home, log, statementTimeoutMs)
      : openPostgres(url, log, { statementTimeoutMs, connections });
  const queries = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: wrapPoolErrors(engine) }) });
  let closing: Promise<void> | undefined;
  return {
    engine: engine.name,
    // One instance serves all services; the type parameter is what each of them knows of the tables.
    kysely: <Tables>() => queries as unknown as Kysely<Tables>,
    cancellable: (signal, work) =>
      cancellable(engine, queries, signal, work as (connection: Kysely<unknown>) => ReturnType<typeof work>),
    migrate: (owner, migrations) => {
      const work = () => migrate(engine, log, owner, migrations);
      return url === undefined ? work() : retryUntilReachable(url, log, patienceMs, work);
    },
    listen: engine.listen,
    probe: createProbe(queries),
    close: () => {
      closing ??= engine.close();
      return closing;
    },
  };
}
