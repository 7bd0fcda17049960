import { sql } from 'kysely';
import { pino } from 'pino';
import { openDatabase } from '../../../../src/foundation/database/database.ts';

// Inserts pairs of rows in transactions and prints the number of each that was committed, until it is killed.
const [home = ''] = process.argv.slice(2);
const database = await openDatabase({ home, log: pino({ level: 'silent' }) });
const queries = database.kysely<unknown>();
await database.migrate('rows', {
  '0001_rows':
    'create table first (id int primary key, text text); create table second (id int primary key);',
});
for (let id = 1; ; id += 1) {
  await queries.transaction().execute(async (transaction) => {
    await sql`insert into first values (${id}, ${'x'.repeat(1_000)})`.execute(transaction);
    await sql`insert into second values (${id})`.execute(transaction);
  });
  process.stdout.write(`${id}\n`);
}
