import { sql } from 'kysely';
import { afterEach, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/foundation/database/database.ts';
import { eventually } from '../../patience.ts';
import { emptyHome, silent } from './engines.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('the embedded engine removes dead rows and shortens its log', async () => {
  const { home, remove } = emptyHome();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const database = await openDatabase({ home, log: silent });
  const queries = database.kysely<unknown>();
  const state = async () => {
    const { rows } = await sql<{ table: number; log: number; checkpoint: string }>`
      select pg_relation_size('busy') as table, (select sum(size) from pg_ls_waldir())::int8 as log,
        (select redo_lsn::text from pg_control_checkpoint()) as checkpoint`.execute(queries);
    return rows[0];
  };
  await sql`create table busy (text text)`.execute(queries);
  await sql`insert into busy select repeat('x', 1000) from generate_series(1, 50000)`.execute(queries);
  await sql`delete from busy`.execute(queries);
  const before = await state();
  expect(before?.table).toBeGreaterThan(40_000_000);
  expect(before?.log).toBeGreaterThan(40_000_000);
  vi.advanceTimersByTime(15_000);
  await eventually(async () => expect((await state())?.checkpoint).not.toBe(before?.checkpoint));
  const after = await state();
  expect(after?.table).toBe(0);
  expect(after?.log).toBeLessThan(25_000_000);
  await database.close();
  remove();
});
