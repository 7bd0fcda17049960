import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/foundation/database/database.ts';
import { openRabbitBroker } from '../../../src/services/analysis/broker/rabbitmq/rabbitmq-broker.ts';
import { createSessionLifecycle } from '../../../src/services/analysis/dispatch/session-lifecycle.ts';
import { migrations } from '../../../src/services/analysis/store/migrations.ts';
import { findSession } from '../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../src/services/analysis/store/tables.ts';
import { startCampaign } from '../../campaign.ts';
import { describeServer, freshHome, freshPostgres, silent } from '../../foundation/database/engines.ts';
import { startProgram, type TestProgram } from '../../foundation/database/programs.ts';
import { eventually, pause } from '../../patience.ts';
import { amqpUrl, describeRabbit, freshPrefix } from './broker/rabbitmq/server.ts';
import { CONFIG_VERSION, newSession, submissionOf, uncounted } from './harness.ts';

const PROGRAM = 'services/analysis/programs/play-a-part.ts';
const TEXT_STEPS = ['ai_tampered', 'claims', 'material', 'techniques', 'verdict'];
/** Sessions that an orchestrator is to accept; it is killed after any of them. */
const SESSIONS = 40;

/** An installation in parts, with a place for the notes of its engines. */
async function openInstallation() {
  const fresh = await freshPostgres();
  const { home, remove: removeHome } = freshHome();
  const { prefix, remove: removeQueues } = freshPrefix();
  const database = await openDatabase({ url: fresh.url, home, log: silent, connections: 4 });
  await database.migrate('analysis', migrations);
  await sql`create table engine_call (
    session_id uuid not null, step text not null, worker integer not null,
    at timestamptz not null default clock_timestamp())`.execute(database.kysely());
  const living = new Set<TestProgram>();
  const start = async (part: 'worker' | 'orchestrator', sessions = 0) => {
    const program = startProgram(PROGRAM, [home, fresh.url, amqpUrl, prefix, part, String(sessions)]);
    living.add(program);
    await program.printed((line) => line === 'works');
    return program;
  };
  const close = async () => {
    await Promise.all([...living].map((program) => program.kill()));
    const { rows } = await sql<{ queue: string }>`select queue from broker_queue`.execute(database.kysely());
    await removeQueues(rows.map(({ queue }) => queue));
    await database.close();
    await fresh.remove();
    removeHome();
  };
  return { database, prefix, start, close };
}

/**
 * Fails when a result is there twice or not at all, when an engine was called for a step whose result was stored or for a session
 * that had its verdict, and when a call was repeated although the worker that made it lived on. Answers how many sessions and calls
 * there are, and how many calls the end of their worker cut off: those are made again, by the worker that gets the message next.
 */
async function expectOnce(
  database: Database,
  killed: readonly number[],
): Promise<{ sessions: number; calls: number; cut: number }> {
  const stored = await sql<{ session_id: string; steps: string[] }>`
    select session_id, array_agg(step order by step) as steps from analysis_checkpoint group by session_id`.execute(
    database.kysely(),
  );
  for (const { steps } of stored.rows) expect(steps).toEqual(TEXT_STEPS);
  const late = await sql`
    select c.session_id, c.step from engine_call c join analysis_checkpoint k using (session_id)
    where k.step in (c.step, 'verdict') and c.at > k.created_at`.execute(database.kysely());
  expect(late.rows).toEqual([]);
  const calls = await sql<{ calls: number; cut: number; needless: number }>`
    select count(*)::int as calls, count(*) filter (where repeated)::int as cut,
      count(*) filter (where repeated and worker <> all(${killed}::int[]))::int as needless
    from (select worker, lead(at) over (partition by session_id, step order by at) is not null as repeated
      from engine_call) as each_call`.execute(database.kysely());
  const { calls: made = 0, cut = 0, needless } = calls.rows[0] ?? {};
  expect(needless).toBe(0);
  const ends = await sql`
    select session_id from analysis_progress where event = 'session.status' and data->>'status' = 'completed'
    group by session_id having count(*) <> 1`.execute(database.kysely());
  expect(ends.rows).toEqual([]);
  return { sessions: stored.rows.length, calls: made, cut };
}

describeRabbit('an orchestrator beside its workers', () => {
  describeServer('on RabbitMQ and PostgreSQL', () => {
    it('is killed again and again, and workers with it: all completes once, and no engine is called for a step that is stored', async () => {
      const kills = startCampaign('kill rounds of the orchestrator');
      const rounds = kills.rounds(3, 20);
      const { database, start, close } = await openInstallation();
      try {
        const workers = [await start('worker'), await start('worker')];
        const killed: number[] = [];
        for (let round = 0; round < rounds; round++) {
          const orchestrator = await start('orchestrator', SESSIONS);
          const last = `accepted ${kills.integer(1, SESSIONS)}`;
          await orchestrator.printed((line) => line === last);
          await pause(kills.integer(0, 20));
          await orchestrator.kill();
          const worker = round % 3 === 0 ? workers.shift() : undefined;
          if (worker === undefined) continue;
          killed.push(worker.pid);
          await worker.kill();
          workers.push(await start('worker'));
        }
        await start('orchestrator');
        // Counted at the end: what the server was doing for a killed process may be committed after that process is gone.
        const accepted = await eventually(async () => {
          const { rows } = await sql<{ status: string; count: number }>`
            select status, count(*)::int as count from analysis_session group by status`.execute(
            database.kysely(),
          );
          expect(rows.map(({ status }) => status)).toEqual(['completed']);
          return rows[0]?.count ?? 0;
        });
        expect(accepted).toBeGreaterThanOrEqual(rounds);
        const { sessions, calls, cut } = await expectOnce(database, killed);
        expect(sessions).toBe(accepted);
        kills.summary(
          `${rounds} kills of it and ${killed.length} of workers, ${accepted} sessions accepted, all completed once; no call for a stored step; ${cut} of ${calls} calls were cut off by a kill and made again`,
        );
      } finally {
        await close();
      }
    });

    it('cancels what runs elsewhere: it stops, what was found stays, and only the rest runs again', async () => {
      const { database, prefix, start, close } = await openInstallation();
      const queries = database.kysely<AnalysisTables>();
      const broker = await openRabbitBroker(database, silent, { url: amqpUrl, prefix, leaseMs: 3_000 });
      try {
        const worker = await start('worker');
        await start('orchestrator');
        const lifecycle = createSessionLifecycle({
          queries,
          broker,
          slots: { free: 8, premium: 32 },
          pendingMax: () => 500,
          configVersion: () => CONFIG_VERSION,
          metrics: uncounted,
          log: silent,
        });
        const created = newSession(submissionOf({ account: 'endless' }));
        const { sessionId } = created;
        const steps = async () => {
          const { rows } = await sql<{ step: string }>`
            select step from analysis_checkpoint where session_id = ${sessionId} order by step`.execute(
            queries,
          );
          return rows.map(({ step }) => step);
        };
        const record = async () => {
          const found = await findSession(queries, sessionId);
          if (found === undefined) throw new Error('the session is not there');
          return found;
        };
        await lifecycle.accept(created, sessionId);
        await worker.printed((line) => line === `waits ${sessionId}`);
        const before = ['ai_tampered', 'material', 'techniques'];
        await eventually(async () => expect(await steps()).toEqual(before));
        await lifecycle.cancel(await record());
        expect((await record()).session.status).toBe('canceled');
        await worker.printed((line) => line === `stopped ${sessionId}`);
        expect(await steps()).toEqual(before);
        await lifecycle.resume(await record(), {}, sessionId);
        await eventually(async () => expect((await record()).session.status).toBe('completed'));
        const { rows } = await sql<{ step: string; count: number }>`
          select step, count(*)::int as count from engine_call group by step order by step`.execute(queries);
        expect(rows).toEqual(
          ['ai_tampered', 'claims', 'techniques', 'waits'].map((step) => ({ step, count: 1 })),
        );
      } finally {
        await broker.close();
        await close();
      }
    });
  });
});
