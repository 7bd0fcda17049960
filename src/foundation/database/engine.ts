import type { Pool } from 'pg';
import type { Logger } from '../log.ts';

/** The database stopped, cannot be reached, or gave up on a statement; the message says which, without secrets. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** What an engine gives to the parts of the database that are the same for all engines. */
export interface Engine {
  readonly name: 'embedded' | 'postgres';
  /** Connections that speak the wire protocol of PostgreSQL. */
  readonly pool: Pool;
  /** Runs work that may take longer than a statement may: migrations, vacuuming. */
  unhurried<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Calls `heard` for each notification on the channel, until the returned function is called. */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/**
 * Makes the loss of a connection an error of the statements on it and no more: the events that the driver emits as well
 * would end the process when nobody listens. The pool replaces the connection.
 */
export function surviveLostConnections(pool: Pool, log: Logger): void {
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) => log.warn({ reason: reason(error) }, 'an idle database connection was lost'));
}

/** A short reason for a failed connection or statement: a code such as ECONNREFUSED, or the message. */
export function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
