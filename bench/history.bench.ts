// The history of one user with a million sessions on PostgreSQL: the first page and the thousandth. DATABASE_URL names an empty
// database. --sessions=N.
import { loadavg } from 'node:os';
import { openDatabase } from '../src/foundation/database/database.ts';
import { createLog } from '../src/foundation/log.ts';
import { analysis } from '../src/services/analysis/contract.ts';
import { readHistory } from '../src/services/analysis/store/history.ts';
import { migrations } from '../src/services/analysis/store/migrations.ts';
import type { AnalysisTables } from '../src/services/analysis/store/tables.ts';
import { fillHistory } from './history-rows.ts';

const url = process.env.DATABASE_URL;
if (url === undefined) {
  console.log('Left out: DATABASE_URL does not name a PostgreSQL server.');
  process.exit(0);
}
const sessions = Number(
  process.argv.find((word) => word.startsWith('--sessions='))?.slice('--sessions='.length) ?? '1000000',
);
const ROUNDS = 9;
const ACCOUNT = 'clients/heavy';

const database = await openDatabase({ url, home: '/tmp', log: createLog({ level: 'error', name: 'bench' }) });
await database.migrate('analysis', migrations);
const queries = database.kysely<AnalysisTables>();
await fillHistory(url, ACCOUNT, sessions);
const query = analysis.operations.history.query;
const timesOf = async (page: number, more: object = {}) => {
  const asked = query.parse({ page, limit: 20, ...more });
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const at = performance.now();
    const { items } = await readHistory(queries, ACCOUNT, asked);
    if (items.length === 0) throw new Error(`page ${page} is empty`);
    times.push(performance.now() - at);
  }
  return times.toSorted((one, other) => one - other)[ROUNDS >> 1] ?? Number.NaN;
};
const rows = [
  ['newest first', await timesOf(1), await timesOf(1000)],
  ['oldest first', await timesOf(1, { sort: 'created_at' }), await timesOf(1000, { sort: 'created_at' })],
] as const;
console.log(
  `${sessions} sessions of one user; load of the machine ${loadavg()
    .map((one) => one.toFixed(1))
    .join(' ')}.\n`,
);
console.log('| order | page 1, ms | page 1000, ms | ratio |\n|---|--:|--:|--:|');
for (const [name, first, late] of rows)
  console.log(`| ${name} | ${first.toFixed(0)} | ${late.toFixed(0)} | ${(late / first).toFixed(2)} |`);
await database.close();
process.exit(0);
