import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { removeOldRows, removeOldRowsHourly } from '../../../src/foundation/database/retention.ts';
import { eventually } from '../../patience.ts';
import { forEachEngine, silent } from './engines.ts';

forEachEngine((engine) => {
  const queries = () => engine.database().kysely<unknown>();
  const fill = () =>
    sql`insert into kept_row (at) select now() - (day - 0.5) * interval '1 day' from generate_series(1, 12000) as day`.execute(
      queries(),
    );
  const count = async () => {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from kept_row`.execute(
      queries(),
    );
    return rows[0]?.count;
  };

  it('removes what is older than it may be, however much that is, and nothing else', async () => {
    await sql`create table kept_row (at timestamptz not null)`.execute(queries());
    await fill();
    const rows = { table: 'kept_row', at: 'at', days: 0 };
    expect(await removeOldRows(queries(), rows)).toBe(0);
    expect(await removeOldRows(queries(), { ...rows, days: 400 })).toBe(11_600);
    expect(await count()).toBe(400);
    expect(await removeOldRows(queries(), { ...rows, days: 400 })).toBe(0);
  });

  it('looks again, with the days that hold then, until it is stopped', async () => {
    let days = 300;
    const rows = () => [{ table: 'kept_row', at: 'at', days }];
    const stop = removeOldRowsHourly(queries(), rows, silent, { first: 1, every: 20 });
    await eventually(async () => expect(await count()).toBe(300));
    days = 200;
    await eventually(async () => expect(await count()).toBe(200));
    await stop();
    days = 100;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await count()).toBe(200);
  });
});
