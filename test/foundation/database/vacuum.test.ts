import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { vacuumTables } from '../../../src/foundation/database/vacuum.ts';
import { eventually } from '../../patience.ts';
import { describeServer, freshPostgres } from './engines.ts';

describeServer('a server that does not vacuum by itself', () => {
  it('gets the room of dead rows back, and leaves tables alone that have none', async () => {
    const fresh = await freshPostgres();
    const pool = new Pool({ connectionString: fresh.url, max: 1 });
    try {
      await pool.query(`create table calm with (autovacuum_enabled = off) as select 1 as id;
        create table busy (id int, content text) with (autovacuum_enabled = off)`);
      const fill = () =>
        pool.query(`insert into busy select id, repeat('x', 500) from generate_series(1, 2000) as id`);
      const size = async () => {
        const { rows } = await pool.query<{ size: string }>(`select pg_relation_size('busy') as size`);
        return Number(rows[0]?.size);
      };
      await fill();
      const once = await size();
      for (let round = 0; round < 3; round++) {
        await pool.query('delete from busy');
        // The server counts dead rows a moment after the statement.
        await eventually(async () => expect(await vacuumTables(pool)).toContain('public.busy'));
        await fill();
      }
      expect(await size()).toBeLessThanOrEqual(once * 1.5);
      await eventually(async () => expect(await vacuumTables(pool)).toEqual([]));
    } finally {
      await pool.end();
      await fresh.remove();
    }
  });
});
