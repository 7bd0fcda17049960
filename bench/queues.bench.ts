// The queued form with components that need no time, over the table and over RabbitMQ, against the rate at which the bare
// client of RabbitMQ publishes and consumes the same messages with the same confirms; taken in turn in one run.
// --sessions=N, --rounds=N, --warm=N (sessions before the first round), --concurrency=N (steps of a kind at once), --only=NAMES (for a
// profile). DATABASE_URL and AMQP_URL name the servers; without DATABASE_URL the database is embedded.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'amqplib';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../src/foundation/database/database.ts';
import { createLog } from '../src/foundation/log.ts';
import { openDatabaseBroker } from '../src/services/analysis/broker/database-broker.ts';
import { openRabbitBroker } from '../src/services/analysis/broker/rabbitmq/rabbitmq-broker.ts';
import { migrations } from '../src/services/analysis/store/migrations.ts';
import { type InstantAnalysis, startInstantAnalysis } from './instant-analysis.ts';

const option = (name: string, fallback: number) =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback);
const sessions = option('sessions', 300);
/**
 * Sessions before anything is measured. A worker runs for days, but V8 compiles and optimises its code during the first thousands of
 * sessions, in threads whose time counts as that of the process.
 */
const warm = option('warm', 2_500);
const rounds = option('rounds', 3);
const concurrency = option('concurrency', 4);
const amqpUrl = process.env.AMQP_URL ?? 'amqp://guest:guest@127.0.0.1:5672';
const databaseUrl = process.env.DATABASE_URL;
/** Callers that hand in sessions at the same time: the messages of fewer sessions than the bare client has on the way. */
const CALLERS = Math.max(8, concurrency);
/** Messages that the bare client has on the way without a confirmation: as many as the relay sends at once. */
const WINDOW = 500;
const PREFETCH = 4;
const log = createLog({ level: 'error', name: 'bench' });

interface Turn {
  /** Milliseconds that it took, and CPU of this process; `systemMs` is the part of the kernel. */
  readonly ms: number;
  readonly cpuMs: number;
  readonly systemMs: number;
  /** CPU of the connections of this database, and of RabbitMQ with whatever else it does. */
  readonly postgresMs: number;
  readonly rabbitMs: number;
  readonly messages: number;
}

/** Linux counts the time of processes in hundredths of a second. */
const TICK_MS = 10;

/** CPU milliseconds of a process so far; NaN where it cannot be read. */
function cpuOf(pid: number): number {
  try {
    // Past the name, which may hold anything: state, then ten others, then user and system time.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return TICK_MS * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return Number.NaN;
  }
}

function isRabbit(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'latin1').trim() === 'beam.smp';
  } catch {
    return false;
  }
}

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

/** CPU milliseconds that the servers have used, where they run on this machine. */
async function serverCpu(database: Database): Promise<{ postgres: Map<number, number>; rabbit: number }> {
  const postgres = new Map<number, number>();
  if (database.engine === 'postgres') {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database()`.execute(database.kysely());
    for (const { pid } of rows) postgres.set(pid, cpuOf(pid));
  }
  const beams = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isRabbit(name));
  return { postgres, rabbit: beams.length === 0 ? Number.NaN : sum(beams.map((pid) => cpuOf(Number(pid)))) };
}

async function timed(database: Database, work: () => Promise<number>): Promise<Turn> {
  const before = await serverCpu(database);
  const cpu = process.cpuUsage();
  const started = performance.now();
  const messages = await work();
  const { user, system } = process.cpuUsage(cpu);
  const ms = performance.now() - started;
  const after = await serverCpu(database);
  const postgresMs = sum([...after.postgres].map(([pid, used]) => used - (before.postgres.get(pid) ?? 0)));
  const rabbitMs = after.rabbit - before.rabbit;
  return { ms, cpuMs: (user + system) / 1000, systemMs: system / 1000, postgresMs, rabbitMs, messages };
}

/** Publishes and consumes messages of the size of ours, durable, confirmed and acknowledged one by one. */
async function bareClient(count: number): Promise<number> {
  const model = await connect(amqpUrl);
  const queue = `limpede-bench-${randomUUID()}`;
  const [sending, taking] = [await model.createConfirmChannel(), await model.createChannel()];
  await sending.assertQueue(queue, { durable: true, maxPriority: 10 });
  await taking.prefetch(PREFETCH);
  const body = { session_id: randomUUID(), step: 'techniques', correlation_id: randomUUID() };
  let taken = 0;
  const all = new Promise<void>((resolve) => {
    void taking.consume(queue, (message) => {
      if (message === null) return;
      JSON.parse(message.content.toString('utf8'));
      taking.ack(message);
      taken += 1;
      if (taken === count) resolve();
    });
  });
  for (let sent = 0; sent < count; sent += WINDOW) {
    for (let at = sent; at < Math.min(count, sent + WINDOW); at++)
      sending.sendToQueue(queue, Buffer.from(JSON.stringify(body)), {
        persistent: true,
        messageId: randomUUID(),
        priority: 5,
        contentType: 'application/json',
        // What ours carry.
        timestamp: Math.floor(Date.now() / 1000),
        headers: { published_at: Date.now(), attempts: 0 },
      });
    await sending.waitForConfirms();
  }
  await all;
  await sending.deleteQueue(queue);
  await model.close();
  return count;
}

/** Hands sessions in and waits until all have completed; how many messages that took. */
function analyses(analysis: InstantAnalysis) {
  let asked = 0;
  return async (count: number): Promise<number> => {
    const before = analysis.deliveries();
    const end = asked + count;
    const caller = async () => {
      while (asked < end) {
        asked += 1;
        await analysis.accept();
      }
    };
    const done = analysis.completed(end);
    await Promise.all(Array.from({ length: CALLERS }, caller));
    await done;
    return analysis.deliveries() - before;
  };
}

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

async function openAll(database: Database) {
  await database.migrate('analysis', migrations);
  const prefix = `limpede-bench-${randomUUID().slice(0, 8)}`;
  const table = await startInstantAnalysis(database, await openDatabaseBroker(database, log), concurrency);
  const rabbit = await startInstantAnalysis(
    database,
    await openRabbitBroker(database, log, { url: amqpUrl, prefix }),
    concurrency,
  );
  return { table, rabbit, prefix };
}

async function removeQueues(prefix: string): Promise<void> {
  const model = await connect(amqpUrl);
  const channel = await model.createChannel();
  const steps = ['material', 'techniques', 'ai_tampered', 'claims', 'domain', 'verdict', 'results'];
  for (const step of steps)
    for (const end of ['', '.dead']) await channel.deleteQueue(`${prefix}.analysis.${step}${end}`);
  await model.close();
}

const home = mkdtempSync(join(tmpdir(), 'limpede-bench-'));
const database = await openDatabase({ ...(databaseUrl && { url: databaseUrl }), home, log });
const { table, rabbit, prefix } = await openAll(database);
const only = process.argv
  .find((word) => word.startsWith('--only='))
  ?.slice(7)
  .split(',');
const subjects = [
  { name: 'bare client', run: () => bareClient(7 * sessions), count: 0 },
  { name: 'database', run: analyses(table), count: sessions },
  { name: 'RabbitMQ', run: analyses(rabbit), count: sessions },
].filter(({ name }) => only === undefined || only.includes(name));
const turns = new Map<string, Turn[]>(subjects.map(({ name }) => [name, []]));
for (const { run } of subjects) await run(warm);
for (let round = 0; round < rounds; round++)
  for (const { name, run, count } of subjects) turns.get(name)?.push(await timed(database, () => run(count)));

const pick = (name: string, value: (turn: Turn) => number) => median((turns.get(name) ?? []).map(value));
const bare = pick('bare client', ({ messages, ms }) => (messages / ms) * 1000);
console.log(
  `${database.engine} database; load of the machine ${loadavg()
    .map((one) => one.toFixed(1))
    .join(' ')}.\n`,
);
console.log(
  '| subject | sessions/s | messages/s | of the bare client | messages a session | CPU ms a session | of it in the kernel | CPU us a message | PostgreSQL, CPU ms a session | RabbitMQ, CPU us a message |',
);
console.log('|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|');
for (const { name, count } of subjects) {
  const rate = pick(name, ({ messages, ms }) => (messages / ms) * 1000);
  const own = count === 0 ? '' : pick(name, ({ ms }) => (count / ms) * 1000).toFixed(0);
  const each = count === 0 ? '' : pick(name, ({ messages }) => messages / count).toFixed(1);
  const cpu = count === 0 ? '' : pick(name, ({ cpuMs }) => cpuMs / count).toFixed(2);
  const kernel = count === 0 ? '' : pick(name, ({ systemMs }) => systemMs / count).toFixed(2);
  const cost = pick(name, ({ cpuMs, messages }) => (1000 * cpuMs) / messages).toFixed(0);
  const stored = count === 0 ? '' : pick(name, ({ postgresMs }) => postgresMs / count).toFixed(2);
  const carried = pick(name, ({ rabbitMs, messages }) => (1000 * rabbitMs) / messages).toFixed(0);
  const cells = [
    name,
    own,
    rate.toFixed(0),
    (rate / bare).toFixed(2),
    each,
    cpu,
    kernel,
    cost,
    stored,
    carried,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
await table.stop();
await rabbit.stop();
await database.close();
await removeQueues(prefix).catch(() => undefined);
rmSync(home, { recursive: true, force: true });
process.exit(0);
