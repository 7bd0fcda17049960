import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/foundation/database/database.ts';
import { openRabbitBroker } from '../../../src/services/analysis/broker/rabbitmq/rabbitmq-broker.ts';
import { createSessionLifecycle } from '../../../src/services/analysis/dispatch/session-lifecycle.ts';
import { migrations } from '../../../src/services/analysis/store/migrations.ts';
import type { AnalysisTables } from '../../../src/services/analysis/store/tables.ts';
import { describeServer, freshHome, freshPostgres, silent } from '../../foundation/database/engines.ts';
import { startProgram, type TestProgram } from '../../foundation/database/programs.ts';
import { eventually, pause } from '../../patience.ts';
import { createWay, describeRabbit, freshPrefix } from './broker/rabbitmq/server.ts';
import { CONFIG_VERSION, newSession, submissionOf, uncounted } from './harness.ts';

const PROGRAM = 'services/analysis/programs/work-on-sessions.ts';
const TEXT_STEPS = ['ai_tampered', 'claims', 'material', 'techniques', 'verdict'];
const ROUNDS = process.env.LIMPEDE_TEST_LONG === undefined ? 3 : 20;
const SESSIONS = 12;

/** The same moments for the same seed. */
function momentsOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return 20 + (state % 250);
  };
}

describeRabbit('with RabbitMQ', () => {
  describeServer('processes and connections that die', () => {
    it('lose no accepted session, and each ends once', async () => {
      const seed = Number(process.env.LIMPEDE_TEST_SEED ?? 7);
      const next = momentsOf(seed);
      const fresh = await freshPostgres();
      const { home, remove } = freshHome();
      const { prefix, remove: removeQueues } = freshPrefix();
      const way = await createWay();
      const database = await openDatabase({ url: fresh.url, home, log: silent, connections: 4 });
      const living: TestProgram[] = [];
      const start = () => living.push(startProgram(PROGRAM, [home, fresh.url, 'work', way.url, prefix]));
      try {
        await database.migrate('analysis', migrations);
        const broker = await openRabbitBroker(database, silent, { url: way.url, prefix, leaseMs: 3_000 });
        const queries = database.kysely<AnalysisTables>();
        const lifecycle = createSessionLifecycle({
          queries,
          broker,
          slots: { free: 1000, premium: 1000 },
          pendingMax: () => 1000,
          configVersion: () => CONFIG_VERSION,
          metrics: uncounted,
          log: silent,
        });
        start();
        start();
        for (let round = 0; round < ROUNDS; round += 1) {
          const created = Array.from({ length: SESSIONS }, () => newSession(submissionOf()));
          await Promise.all(created.map((session) => lifecycle.accept(session, session.sessionId)));
          await pause(next());
          if (round % 3 === 0) {
            await living.shift()?.kill();
            start();
          } else if (round % 3 === 1) way.drop();
          else {
            await sql`select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and pid <> pg_backend_pid()`.execute(queries);
          }
        }
        await eventually(async () => {
          const { rows } = await sql<{ status: string; count: number }>`
            select status, count(*)::int as count from analysis_session group by status`.execute(queries);
          expect(rows, `seed ${seed}`).toEqual([{ status: 'completed', count: ROUNDS * SESSIONS }]);
        });
        const { rows } = await sql<{ steps: string[] }>`
          select array_agg(step order by step) as steps from analysis_checkpoint group by session_id`.execute(
          queries,
        );
        expect(rows).toHaveLength(ROUNDS * SESSIONS);
        for (const { steps } of rows) expect(steps).toEqual(TEXT_STEPS);
        await eventually(async () => expect(await broker.depth()).toEqual({}));
        await broker.close();
      } finally {
        await Promise.all(living.map((program) => program.kill()));
        const { rows } = await sql<{ queue: string }>`select queue from broker_queue`.execute(
          database.kysely(),
        );
        await removeQueues(rows.map(({ queue }) => queue));
        await database.close();
        await way.close();
        await fresh.remove();
        remove();
      }
    });
  });
});
