import { pino } from 'pino';
import { openDatabase } from '../../../../../src/foundation/database/database.ts';
import { openDatabaseBroker } from '../../../../../src/services/analysis/broker/database-broker.ts';
import { openRabbitBroker } from '../../../../../src/services/analysis/broker/rabbitmq/rabbitmq-broker.ts';

// Publishes messages, prints what was stored and what it took in hand, and never finishes any, until it is killed.
const [home = '', url, leaseMs, count, amqp, prefix = ''] = process.argv.slice(2);
const log = pino({ level: 'silent' });
const database = await openDatabase({ home, url: url || undefined, log });
const broker =
  amqp === undefined
    ? await openDatabaseBroker(database, log, { leaseMs: Number(leaseMs) })
    : await openRabbitBroker(database, log, { url: amqp, prefix });
for (let number = 1; number <= Number(count); number += 1) {
  await broker.publish([{ queue: 'killed', body: { number } }]);
  process.stdout.write(`stored ${number}\n`);
}
broker.consume(
  'killed',
  async ({ body }) => {
    process.stdout.write(`holds ${JSON.stringify(body)}\n`);
    await new Promise(() => undefined);
  },
  { concurrency: 2, signal: new AbortController().signal },
);
