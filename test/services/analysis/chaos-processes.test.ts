import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/foundation/database/database.ts';
import { openDatabaseBroker } from '../../../src/services/analysis/broker/database-broker.ts';
import { createSessionLifecycle } from '../../../src/services/analysis/dispatch/session-lifecycle.ts';
import { migrations } from '../../../src/services/analysis/store/migrations.ts';
import type { AnalysisTables } from '../../../src/services/analysis/store/tables.ts';
import { startCampaign } from '../../campaign.ts';
import { describeServer, freshHome, freshPostgres, silent } from '../../foundation/database/engines.ts';
import { startProgram, type TestProgram } from '../../foundation/database/programs.ts';
import { eventually, pause, until } from '../../patience.ts';
import {
  CONFIG_VERSION,
  newSession,
  runnersOf,
  scripted,
  startWorkers,
  submissionOf,
  uncounted,
} from './harness.ts';

/** Sessions that are accepted before each kill. */
const SESSIONS_PER_ROUND = 20;
const PROGRAM = 'services/analysis/programs/work-on-sessions.ts';
/** Every step of a text's plan leaves one checkpoint. */
const TEXT_STEPS = ['ai_tampered', 'claims', 'material', 'techniques', 'verdict'];

const works = (program: TestProgram) => program.printed((line) => line === 'works');

/** Statuses of all sessions and how often each occurs. */
async function statuses(database: Database): Promise<Record<string, number>> {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*)::int as count from analysis_session group by status`.execute(database.kysely());
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Waits for as long as more sessions complete: a hundred rounds leave more than the processes work off in one patience. */
async function untilAllCompleted(database: Database, count: number): Promise<void> {
  let completed = -1;
  while (completed < count)
    completed = await eventually(async () => {
      const { completed: now = 0, ...others } = await statuses(database);
      if (now < count) expect(now, JSON.stringify(others)).toBeGreaterThan(completed);
      return now;
    });
  expect(await statuses(database)).toEqual({ completed: count });
}

async function expectWholeSessions(database: Database, count: number): Promise<void> {
  const { rows } = await sql<{ steps: string[] }>`
    select array_agg(step order by step) as steps from analysis_checkpoint group by session_id`.execute(
    database.kysely(),
  );
  expect(rows).toHaveLength(count);
  for (const { steps } of rows) expect(steps).toEqual(TEXT_STEPS);
}

async function untilQueuesAreEmpty(database: Database): Promise<void> {
  const left = () => sql`select 1 from broker_message`.execute(database.kysely());
  await until(async () => (await left()).rows.length === 0);
}

/** Accepts sessions without working on them. */
async function acceptor(database: Database) {
  await database.migrate('analysis', migrations);
  const broker = await openDatabaseBroker(database, silent, { leaseMs: 3_000 });
  const queries = database.kysely<AnalysisTables>();
  const lifecycle = createSessionLifecycle({
    queries,
    broker,
    slots: { free: 8, premium: 32 },
    pendingMax: () => 1000,
    configVersion: () => CONFIG_VERSION,
    metrics: uncounted,
    log: silent,
  });
  const accept = async (count: number, submission = submissionOf()) => {
    const created = Array.from({ length: count }, () => newSession(submission));
    await Promise.all(created.map((session) => lifecycle.accept(session, session.sessionId)));
  };
  return { accept, close: () => broker.close() };
}

describeServer('processes that die', () => {
  it('lose no accepted session, and no step has its effect twice', async () => {
    const fresh = await freshPostgres();
    const { home, remove } = freshHome();
    const database = await openDatabase({ url: fresh.url, home, log: silent, connections: 4 });
    const living: TestProgram[] = [];
    try {
      const { accept, close } = await acceptor(database);
      for (let count = 0; count < 2; count++) living.push(startProgram(PROGRAM, [home, fresh.url]));
      await Promise.all(living.map(works));
      const kills = startCampaign('kill rounds of workers');
      const rounds = kills.rounds(4, 100);
      for (let round = 0; round < rounds; round++) {
        await accept(SESSIONS_PER_ROUND);
        await pause(kills.integer(0, 150));
        await living.shift()?.kill();
        living.push(startProgram(PROGRAM, [home, fresh.url]));
      }
      const accepted = rounds * SESSIONS_PER_ROUND;
      await untilAllCompleted(database, accepted);
      await expectWholeSessions(database, accepted);
      await untilQueuesAreEmpty(database);
      kills.summary(`${rounds} kills, ${accepted} sessions accepted, all completed once`);
      await close();
    } finally {
      await Promise.all(living.map((program) => program.kill()));
      await database.close();
      await fresh.remove();
      remove();
    }
  });

  it('leave their direct analyses to others once the lease is over', async () => {
    const fresh = await freshPostgres();
    const { home, remove } = freshHome();
    const database = await openDatabase({ url: fresh.url, home, log: silent, connections: 4 });
    const dying = startProgram(PROGRAM, [home, fresh.url, 'direct']);
    try {
      await dying.printed((line) => line.startsWith('direct'));
      await dying.kill();
      const workers = await startWorkers(database, runnersOf(scripted().components));
      expect(await workers.lifecycle.recover({ all: false })).toBe(0);
      await sql`update analysis_session set lease_until = now() - interval '1 second'`.execute(
        database.kysely(),
      );
      expect(await workers.lifecycle.recover({ all: false })).toBe(1);
      await untilAllCompleted(database, 1);
      await expectWholeSessions(database, 1);
      await workers.stop();
    } finally {
      await dying.kill();
      await database.close();
      await fresh.remove();
      remove();
    }
  });

  it('are told to stop: they end by themselves and leave nothing undone', async () => {
    const fresh = await freshPostgres();
    const { home, remove } = freshHome();
    const database = await openDatabase({ url: fresh.url, home, log: silent, connections: 4 });
    const first = startProgram(PROGRAM, [home, fresh.url]);
    try {
      await works(first);
      const { accept, close } = await acceptor(database);
      await accept(20);
      process.kill(first.pid, 'SIGTERM');
      expect(await first.ended()).toEqual({ code: 0, errors: '' });
      // Nothing is in the hands of a process that ended in order.
      const { rows } = await sql`select 1 from broker_message where lease is not null`.execute(
        database.kysely(),
      );
      expect(rows).toEqual([]);
      const workers = await startWorkers(database, runnersOf(scripted().components));
      await untilAllCompleted(database, 20);
      await expectWholeSessions(database, 20);
      await workers.stop();
      await close();
    } finally {
      await first.kill();
      await database.close();
      await fresh.remove();
      remove();
    }
  });
});

describeServer('a database that cuts its connections', () => {
  it('loses no accepted session', async () => {
    const fresh = await freshPostgres();
    const admin = await openDatabase({ url: fresh.url, home: '.', log: silent, connections: 1 });
    const database = await openDatabase({ url: fresh.url, home: '.', log: silent, connections: 4 });
    try {
      const quick = () => pause(10);
      const { components } = scripted({ techniques: quick, claims: quick });
      const workers = await startWorkers(database, runnersOf(components));
      const submission = submissionOf();
      for (let round = 0; round < 10; round++) {
        const created = newSession(submission);
        await workers.lifecycle.accept(created, created.sessionId);
      }
      for (let round = 0; round < 5; round++) {
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`.execute(admin.kysely());
        await pause(40);
      }
      // The next request works, and everything that was accepted before completes.
      const created = newSession(submissionOf());
      expect(await workers.lifecycle.accept(created, created.sessionId)).toBe(true);
      const sweep = setInterval(
        () => void workers.lifecycle.recover({ all: false }).catch(() => undefined),
        300,
      );
      await untilAllCompleted(admin, 11);
      await expectWholeSessions(admin, 11);
      await untilQueuesAreEmpty(admin);
      clearInterval(sweep);
      await workers.stop();
    } finally {
      await database.close();
      await admin.close();
      await fresh.remove();
    }
  });
});
