import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/foundation/database/database.ts';
import { createProbe } from '../../../src/foundation/database/probe.ts';
import { eventually, startManualClock } from '../../patience.ts';
import { describeServer, emptyHome, forEachEngine, freshPostgres, silent } from './engines.ts';

const select = (database: Database) => sql`select 1`.execute(database.kysely<unknown>());

forEachEngine((engine) => {
  it('is well when it answers and writes', async () => {
    await engine.database().probe();
    await engine.database().probe(AbortSignal.timeout(10_000));
  });

  it('leaves nothing behind when it is asked how it is', async () => {
    const count = async () => {
      const tables = sql<{ all: number }>`select count(*) as all from pg_class`;
      return (await tables.execute(engine.database().kysely<unknown>())).rows[0]?.all;
    };
    const before = await count();
    await (await engine.reopen()).probe();
    expect(await count()).toBe(before);
  });

  it('keeps the errors of a statement as they are', async () => {
    const wrong = sql`select * from no_such_table`.execute(engine.database().kysely<unknown>());
    await expect(wrong).rejects.toMatchObject({ name: 'error', code: '42P01' });
  });

  it.each(['53100', '53200', '53300', '57P03', '58030', '25006'])(
    'is unavailable when a statement fails with %s',
    async (code) => {
      const failing = sql.raw(`do $$ begin raise exception 'trouble' using errcode = '${code}'; end $$`);
      const failed = failing.execute(engine.database().kysely<unknown>());
      await expect(failed).rejects.toMatchObject({ name: 'DatabaseUnavailableError', message: 'trouble' });
    },
  );
});

describeServer('a PostgreSQL server in trouble', () => {
  let url = '';
  let remove = async (): Promise<void> => undefined;
  beforeAll(async () => {
    ({ url, remove } = await freshPostgres());
  });
  afterAll(() => remove());

  const asOwner = async (text: string) => {
    const options = '-c default_transaction_read_only=off';
    const client = new Client({ connectionString: url, options });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  const databaseName = () => new URL(url).pathname.slice(1);
  const open = (address = url) =>
    openDatabase({ url: address, home: '/nonexistent', log: silent, connections: 1 });

  it('that cannot write to its disk answers, and says that it is not well', async () => {
    await asOwner(`alter database ${databaseName()} set temp_file_limit = 0`);
    const database = await open();
    await select(database);
    await expect(database.probe()).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      message: expect.stringContaining('temporary file size exceeds'),
    });
    await database.close();
    await asOwner(`alter database ${databaseName()} reset temp_file_limit`);
  });

  it('that only reads answers, and says that it is not well', async () => {
    await asOwner(`alter database ${databaseName()} set default_transaction_read_only = on`);
    const database = await open();
    await select(database);
    await expect(database.probe()).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
    await database.close();
    await asOwner(`alter database ${databaseName()} reset default_transaction_read_only`);
  });

  it('that lets nobody more in is unavailable, and takes up again', async () => {
    const role = `${databaseName()}_one`;
    await asOwner(`create role ${role} login connection limit 1`);
    const address = new URL(url);
    address.username = role;
    const first = await open(address.toString());
    const second = await open(address.toString());
    await select(first);
    await expect(select(second)).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      message: expect.stringContaining('too many connections'),
    });
    await expect(second.probe()).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
    await first.close();
    // The server counts a connection until its process has ended, which may be a moment later.
    await eventually(() => select(second));
    await second.close();
    await asOwner(`drop role ${role}`);
  });

  it('that ends connections makes the statement in flight unavailable', async () => {
    const database = await open();
    const work = database
      .kysely<unknown>()
      .transaction()
      .execute(async (transaction) => {
        const sleeping = sql`select pg_sleep(20)`.execute(transaction);
        const ended = asOwner(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query like '%pg_sleep(20)' and pid <> pg_backend_pid()`);
        await Promise.all([sleeping, ended]);
      });
    await expect(work).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
    await select(database);
    await database.close();
  });

  it('that runs a statement over its time is unavailable', async () => {
    const database = await openDatabase({ url, home: '/nonexistent', log: silent, statementTimeoutMs: 50 });
    const slow = sql`select pg_sleep(20)`.execute(database.kysely<unknown>());
    await expect(slow).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
    await database.close();
  });

  it('that is gone makes everything unavailable', async () => {
    const database = await open('postgres://nobody:secret@127.0.0.1:1/nothing');
    await expect(select(database)).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
    await database.close();
  });
});

describe('a look whether the database can write', () => {
  it('is taken once in a while, by all who ask, and tells what it met until the next', async () => {
    const home = emptyHome();
    const database = await openDatabase({ home: home.home, log: silent });
    const clock = startManualClock();
    let looks = 0;
    let trouble: Error | undefined;
    const probe = createProbe(database.kysely<unknown>(), async () => {
      looks += 1;
      if (trouble !== undefined) throw trouble;
    });
    await Promise.all([probe(), probe(), probe()]);
    trouble = new Error('No space left on device');
    await probe();
    expect(looks).toBe(1);
    await clock.advance(6_000);
    await expect(probe()).rejects.toThrow('No space left on device');
    trouble = undefined;
    await expect(probe()).rejects.toThrow('No space left on device');
    await clock.advance(6_000);
    await probe();
    expect(looks).toBe(3);
    clock.restore();
    await database.close();
    home.remove();
  });
});
