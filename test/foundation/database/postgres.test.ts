import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/foundation/database/database.ts';
import { eventually } from '../../patience.ts';
import { describeServer, freshPostgres, silent } from './engines.ts';

describe('a PostgreSQL server that cannot be reached', () => {
  it('is named without its password', async () => {
    const url = 'postgres://someone:secret@127.0.0.1:1/somewhere';
    const database = await openDatabase({ url, home: '/nonexistent', log: silent, patienceMs: 0 });
    const probe = await database.probe().catch((error: Error) => error);
    expect(probe).toMatchObject({
      name: 'DatabaseUnavailableError',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    await expect(database.migrate('a', {})).rejects.toThrow(
      /^PostgreSQL at 127\.0\.0\.1:1\/somewhere cannot be reached: .*ECONNREFUSED/,
    );
    await database.close();
  });
});

describeServer('a PostgreSQL server that drops connections', () => {
  let url = '';
  let remove = async (): Promise<void> => undefined;
  let database: Database;

  beforeAll(async () => {
    ({ url, remove } = await freshPostgres());
    database = await openDatabase({ url, home: '/nonexistent', log: silent });
  });

  afterAll(async () => {
    await database.close();
    await remove();
  });

  const dropAll = async () => {
    const other = await openDatabase({ url, home: '/nonexistent', log: silent });
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(other.kysely<unknown>());
    await other.close();
  };

  it('costs the statement in flight and nothing else', async () => {
    const queries = database.kysely<unknown>();
    const work = queries.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction);
      const sleeping = sql`select pg_sleep(20)`.execute(transaction);
      await Promise.all([sleeping, dropAll()]);
    });
    await expect(work).rejects.toThrow(/terminat/);
    await expect(sql`select 1 as one`.execute(queries)).resolves.toMatchObject({ rows: [{ one: 1 }] });
  });

  it('is listened to again, and the listener is told that it may have missed something', async () => {
    const heard: string[] = [];
    const stop = await database.listen('news', (payload) => heard.push(payload));
    await dropAll();
    await eventually(() => expect(heard).toEqual(['']));
    await sql`select pg_notify('news', 'again')`.execute(database.kysely<unknown>());
    await eventually(() => expect(heard).toEqual(['', 'again']));
    await stop();
  });

  it('keeps the options of its address', async () => {
    const address = new URL(url);
    address.searchParams.set('options', '-c search_path=pg_catalog');
    const other = await openDatabase({ url: address.toString(), home: '/nonexistent', log: silent });
    const { rows } = await sql`select current_setting('search_path') as path,
      current_setting('TimeZone') as zone`.execute(other.kysely<unknown>());
    expect(rows).toEqual([{ path: 'pg_catalog', zone: 'UTC' }]);
    await other.close();
  });
});
