import { sql } from 'kysely';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/foundation/database/database.ts';
import { eventually } from '../../patience.ts';
import { forEachEngine, silent } from './engines.ts';

interface Tables {
  note: { id: number; text: string };
}

const notes = { '0001_notes': 'create table note (id int primary key, text text not null);' };

forEachEngine((engine) => {
  const queries = () => engine.database().kysely<Tables>();
  beforeAll(async () => {
    await engine.database().migrate('notes', notes);
  });

  it('tells which engine it is and answers its probe', async () => {
    expect(engine.database().engine).toBe(engine.name);
    await expect(engine.database().probe(AbortSignal.timeout(10_000))).resolves.toBeUndefined();
    await expect(engine.database().probe(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });

  it('reads columns the same way', async () => {
    const { rows } = await sql`select
      9007199254740991::int8 as int8, count(*) as count, 12345678901234567890.123::numeric as numeric,
      1.5::float8 as float8, '{"a": [1, null]}'::jsonb as jsonb, '[1]'::json as json,
      timestamptz '2026-03-29 03:30:00+03' as moment, date '2026-03-29' as date, true as flag,
      array['ș', 'b'] as texts, null::int8 as nothing,
      to_char(timestamptz '2026-03-29 00:30:00+00', 'YYYY-MM-DD HH24:MI') as utc,
      lower('ȘȚĂÂÎ') as lower, 'ȘTIRE' ilike 'știre' as ilike, 'Z' < 'a' as by_code_point
      from (values (1), (2)) as v`.execute(queries());
    expect(rows).toEqual([
      {
        int8: 9007199254740991,
        count: 2,
        numeric: '12345678901234567890.123',
        float8: 1.5,
        jsonb: { a: [1, null] },
        json: [1],
        moment: new Date('2026-03-29T00:30:00Z'),
        date: '2026-03-29',
        flag: true,
        texts: ['ș', 'b'],
        nothing: null,
        utc: '2026-03-29 00:30',
        lower: 'șțăâî',
        ilike: true,
        by_code_point: true,
      },
    ]);
  });

  it('refuses to round an integer', async () => {
    await expect(sql`select 9007199254740993::int8 as big`.execute(queries())).rejects.toThrow(
      'too large to be read exactly',
    );
    await expect(sql`select 1 as small`.execute(queries())).resolves.toMatchObject({ rows: [{ small: 1 }] });
  });

  it('reports errors with the codes of PostgreSQL', async () => {
    await queries().insertInto('note').values({ id: 1, text: 'first' }).execute();
    await expect(
      queries().insertInto('note').values({ id: 1, text: 'again' }).execute(),
    ).rejects.toMatchObject({ code: '23505', constraint: 'note_pkey' });
    await expect(sql`select nothing_of_this_name`.execute(queries())).rejects.toMatchObject({
      code: '42703',
    });
  });

  it('rolls a failed transaction back and keeps concurrent ones apart', async () => {
    const failed = queries()
      .transaction()
      .execute(async (transaction) => {
        await transaction.insertInto('note').values({ id: 2, text: 'lost' }).execute();
        throw new Error('on purpose');
      });
    await expect(failed).rejects.toThrow('on purpose');
    await queries().insertInto('note').values({ id: 3, text: '0' }).execute();
    const increment = () =>
      queries()
        .transaction()
        .execute(async (transaction) => {
          const row = await transaction
            .selectFrom('note')
            .select('text')
            .where('id', '=', 3)
            .forUpdate()
            .executeTakeFirstOrThrow();
          await transaction
            .updateTable('note')
            .set({ text: String(Number(row.text) + 1) })
            .where('id', '=', 3)
            .execute();
        });
    await Promise.all(Array.from({ length: 20 }, increment));
    const rows = await queries().selectFrom('note').selectAll().where('id', '>', 1).execute();
    expect(rows).toEqual([{ id: 3, text: '20' }]);
  });

  it('carries large values both ways', async () => {
    const large = 'ș🙂'.repeat(1_000_000);
    const { rows } = await sql<{
      text: string;
    }>`select ${large}::text as text from generate_series(1, 3)`.execute(queries());
    expect(rows.map(({ text }) => text === large)).toEqual([true, true, true]);
  });

  it('tells listeners after the commit, and no longer once they stopped', async () => {
    const heard: string[] = [];
    const notify = (payload: string) => sql`select pg_notify('a "channel"', ${payload})`;
    const stop = await engine.database().listen('a "channel"', (payload) => heard.push(payload));
    await queries()
      .transaction()
      .execute(async (transaction) => {
        await notify('one').execute(transaction);
        await sql`select 1`.execute(transaction);
        expect(heard).toEqual([]);
      });
    await eventually(() => expect(heard).toEqual(['one']));
    await stop();
    await notify('two').execute(queries());
    await sql`select 1`.execute(queries());
    expect(heard).toEqual(['one']);
  });

  it('stops reading when the signal aborts', async () => {
    const aborting = new AbortController();
    const begun = vi.fn();
    const reading = engine.database().cancellable<Tables, unknown>(aborting.signal, async (connection) => {
      begun();
      return sql`select pg_sleep(1)`.execute(connection);
    });
    await eventually(() => expect(begun).toHaveBeenCalled());
    aborting.abort(new Error('the client left'));
    await expect(reading).rejects.toThrow('the client left');
    // The connection is whole: the cancellation hits no other statement.
    const free = new AbortController().signal;
    const one = engine
      .database()
      .cancellable<Tables, unknown>(free, (connection) =>
        sql`select 1 as one`.execute(connection).then(({ rows }) => rows),
      );
    await expect(one).resolves.toEqual([{ one: 1 }]);
    const failing = engine
      .database()
      .cancellable<Tables, unknown>(free, (connection) => sql`select wrong`.execute(connection));
    await expect(failing).rejects.toMatchObject({ code: '42703' });
  });

  describe('migrations', () => {
    const table = (name: string) => `create table ${name} (id int); create index on ${name} (id);`;

    it('run once, in the order of their names, for each owner', async () => {
      const migrations = { '0002_b': 'alter table ordered add column b int;', '0001_a': table('ordered') };
      await engine.database().migrate('ordered', migrations);
      await engine.database().migrate('ordered', migrations);
      await engine.database().migrate('other', { '0001_a': table('other') });
      const { rows } = await sql`select owner, id from limpede_migration where owner in ('ordered', 'other')
        order by applied_at, id`.execute(queries());
      expect(rows).toEqual([
        { owner: 'ordered', id: '0001_a' },
        { owner: 'ordered', id: '0002_b' },
        { owner: 'other', id: '0001_a' },
      ]);
    });

    it('leave nothing behind when one fails, and name it', async () => {
      const bad = { '0001_bad': `${table('half')} select broken;` };
      await expect(engine.database().migrate('bad', bad)).rejects.toThrow(
        /Migration bad\/0001_bad failed: .*broken/,
      );
      await engine.database().migrate('bad', { '0001_bad': table('half') });
    });

    it('refuse a text that was changed since, but not changed line ends', async () => {
      const text = `${table('changed')}\nselect 1;`;
      await engine.database().migrate('changed', { '0001_a': text });
      await engine.database().migrate('changed', { '0001_a': text.replace('\n', '\r\n') });
      await expect(engine.database().migrate('changed', { '0001_a': table('else') })).rejects.toThrow(
        'Migration changed/0001_a was changed after it had been applied',
      );
      await expect(engine.database().migrate('changed', { one: '' })).rejects.toThrow('0001_name');
    });

    it('are safe when several start at once', async () => {
      const many = { '0001_a': table('at_once'), '0002_b': 'insert into at_once values (1);' };
      const others =
        engine.name === 'postgres'
          ? await Promise.all([1, 2, 3].map(() => openDatabase({ ...engine.place(), log: silent })))
          : [];
      await Promise.all([engine.database(), ...others].map((database) => database.migrate('at once', many)));
      const { rows } = await sql`select id from at_once`.execute(queries());
      expect(rows).toEqual([{ id: 1 }]);
      await Promise.all(others.map((database) => database.close()));
    });
  });

  it('finds everything again after it was closed', async () => {
    await queries().insertInto('note').values({ id: 9, text: 'kept' }).execute();
    await engine.reopen();
    await engine.database().migrate('notes', notes);
    const row = await queries().selectFrom('note').select('text').where('id', '=', 9).executeTakeFirst();
    expect(row).toEqual({ text: 'kept' });
  });
});

describe('a statement that runs too long', () => {
  forEachEngine(
    (engine) => {
      it('is ended, and the next one works', async () => {
        const queries = engine.database().kysely<unknown>();
        await sql`create table kept (id int)`.execute(queries);
        await expect(sql`select pg_sleep(20)`.execute(queries)).rejects.toThrow(/timeout|restarts/);
        await expect(sql`select * from kept`.execute(queries)).resolves.toMatchObject({ rows: [] });
      });
    },
    { statementTimeoutMs: 2_000 },
  );
});
