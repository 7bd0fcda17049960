import { expect, it } from 'vitest';
import { prepareStatement } from '../../../src/foundation/database/prepared-statement.ts';
import { forEachEngine } from './engines.ts';

const sums = prepareStatement<{ sum: number }>('select $1::integer + $2::integer as sum');

forEachEngine((engine) => {
  it('runs a prepared statement again and again, in transactions too, with other parameters each time', async () => {
    const queries = engine.database().kysely();
    for (let one = 0; one < 10; one += 1) expect(await sums(queries, [one, 1])).toEqual([{ sum: one + 1 }]);
    const inside = await queries.transaction().execute((change) => sums(change, [20, 3]));
    expect(inside).toEqual([{ sum: 23 }]);
  });

  it('goes on after a prepared statement that failed', async () => {
    const queries = engine.database().kysely();
    await expect(sums(queries, ['no number', 1])).rejects.toThrow();
    expect(await sums(queries, [1, 1])).toEqual([{ sum: 2 }]);
  });
});
