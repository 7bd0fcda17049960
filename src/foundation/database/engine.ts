import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from '../log.ts';
import { systemCode } from '../start-error.ts';
import { nameOfStatement } from './prepared-statement.ts';

/** The database stopped, cannot be reached, or gave up on a statement; the message says which, without secrets. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** Whether an error is that of a statement which the database refused, not of the database itself. */
export function isStatementError(error: unknown): boolean {
  return !(error instanceof DatabaseUnavailableError);
}

/** What differs between the engines: a server, or the embedded one. */
export interface DatabaseEngine {
  readonly name: 'embedded' | 'postgres';
  /** Connections that speak the wire protocol of PostgreSQL. */
  readonly pool: Pool;
  /** Runs work that may take longer than a statement may: migrations, vacuuming. */
  unhurried<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Calls `onNotification` for each notification on the channel, until the returned function is called. */
  listen(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/**
 * Makes the loss of a connection an error of the statements on it and no more: the events that the driver emits as well
 * would end the process without a listener. The pool replaces the connection.
 */
export function handleConnectionErrors(pool: Pool, log: Logger): void {
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) =>
    log.warn({ reason: connectionErrorReason(error) }, 'an idle database connection was lost'),
  );
}

/** A short reason for a failed connection or statement: a code such as ECONNREFUSED, or the message. */
export function connectionErrorReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return connectionErrorReason(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** Whether an error means that there is no server: it may still be starting. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  if (!(error instanceof Error)) return false;
  // 57P03: the server is starting up or shutting down. 08xxx: connection exceptions.
  if (/^(ECONN|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|57P03|08)/.test(systemCode(error))) return true;
  return /timeout exceeded when trying to connect|Connection terminated|timeout expired/.test(error.message);
}

/**
 * What PostgreSQL says when it cannot work at the moment, whatever it was asked: 53 resources (disk full, too many
 * connections, out of memory), 57P the server stops, 57014 a statement over its time, 58 the system below it, 25006 a
 * server that only reads.
 */
const TROUBLE = /^(?:53|57P|57014|58|25006)/;
/** What the driver and the system say of a connection that broke before the statement was sent. */
const BROKEN_CONNECTION = /not queryable|Connection ended|write after end|EPIPE/;
/** Error codes of a connection that was closed before the pool noticed. */
const ENDED_SOCKET = /^(?:EPIPE|ERR_STREAM_DESTROYED|ERR_STREAM_WRITE_AFTER_END|ERR_SOCKET_CLOSED)/;

/** An error of a statement: DatabaseUnavailableError when the storage is in trouble, anything else as it is. */
function asDatabaseError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailableError || !(error instanceof Error)) return error;
  const code = systemCode(error);
  const inTrouble =
    isUnreachable(error) ||
    TROUBLE.test(code) ||
    ENDED_SOCKET.test(code) ||
    BROKEN_CONNECTION.test(error.message);
  return inTrouble ? new DatabaseUnavailableError(connectionErrorReason(error), { cause: error }) : error;
}

/**
 * The pool for queries. Failures of the storage itself reject with DatabaseUnavailableError. A server is
 * sent the names of prepared statements; the embedded engine is not, since its one session outlives its connections.
 */
export function wrapPoolErrors({ pool, name: engine }: Pick<DatabaseEngine, 'pool' | 'name'>): PostgresPool {
  const known = new WeakMap<PoolClient, PostgresPoolClient>();
  const wrap = (client: PoolClient): PostgresPoolClient => {
    const query = (text: string, parameters: unknown[]) => {
      const name = engine === 'postgres' ? nameOfStatement(text) : undefined;
      const answer =
        name === undefined
          ? client.query(text, parameters)
          : client.query({ name, text, values: parameters });
      return answer.catch((error: unknown) => {
        throw asDatabaseError(error);
      });
    };
    // The form with a cursor is never called: no cursor is configured.
    return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release() };
  };
  return {
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        // Without a connection the database is unavailable, whatever the reason.
        throw error instanceof DatabaseUnavailableError
          ? error
          : new DatabaseUnavailableError(connectionErrorReason(error), { cause: error });
      });
      const wrapped = known.get(client) ?? wrap(client);
      known.set(client, wrapped);
      return wrapped;
    },
    end: () => pool.end(),
  };
}
