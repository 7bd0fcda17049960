import { type Kysely, sql } from 'kysely';
import type { DatabaseEngine } from './engine.ts';

/**
 * Runs queries on one connection and rejects with the reason of the signal when it aborts before their end. A server
 * cancels the statement that it runs at that moment; the embedded engine cannot be interrupted, so there the rejection
 * comes when the work has ended. For reading: what was written may have been written.
 */
export function cancellable<Result>(
  engine: DatabaseEngine,
  queries: Kysely<unknown>,
  signal: AbortSignal,
  work: (queries: Kysely<unknown>) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  return queries.connection().execute(async (connection) => {
    signal.throwIfAborted();
    const process = engine.name === 'postgres' ? await backend(connection) : undefined;
    let canceling: Promise<unknown> = Promise.resolve();
    const cancel = (): void => {
      if (process === undefined) return;
      // When even this fails, the time limit of statements ends it.
      canceling = engine.pool.query('select pg_cancel_backend($1)', [process]).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const result = await work(connection);
      signal.throwIfAborted();
      return result;
    } catch (error) {
      // The reason of the caller says more than "canceling statement due to user request".
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      // Awaited before the connection is reused, since the cancellation would hit the next statement.
      await canceling;
    }
  });
}

async function backend(connection: Kysely<unknown>): Promise<number | undefined> {
  const { rows } = await sql<{ process: number }>`select pg_backend_pid() as process`.execute(connection);
  return rows[0]?.process;
}
