import { type Kysely, sql } from 'kysely';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Database, openDatabase } from '../../../src/foundation/database/database.ts';
import type { StepRunners } from '../../../src/services/analysis/pipeline/run.ts';
import type { SessionStatus } from '../../../src/services/analysis/resources/analysis-session.ts';
import { migrations } from '../../../src/services/analysis/store/migrations.ts';
import type { AnalysisTables } from '../../../src/services/analysis/store/tables.ts';
import { freshPostgres, silent } from '../../foundation/database/engines.ts';
import { until } from '../../patience.ts';
import { storedSessions } from './dispatch/stored-sessions.ts';
import { startWorkers, type Workers } from './harness.ts';

/** Processes on one server that share a database, empty before each test. To be called within `describeServer`. */
export function processesOnOneServer() {
  let remove: () => Promise<void>;
  let url: string;
  const databases: Database[] = [];
  const started: Workers[] = [];

  const open = async () => {
    const database = await openDatabase({ url, home: '.', log: silent, patienceMs: 0, connections: 4 });
    databases.push(database);
    return database;
  };
  const start = async (runners: StepRunners, slots?: { free: number; premium: number }) => {
    const workers = await startWorkers(await open(), runners, slots ? { slots } : {});
    started.push(workers);
    return workers;
  };
  let database: Database;
  const queries = () => database.kysely<AnalysisTables>();

  beforeAll(async () => {
    const fresh = await freshPostgres();
    ({ url, remove } = fresh);
    database = await open();
    databases.length = 0;
    await database.migrate('analysis', migrations);
  });
  afterEach(async () => {
    for (const workers of started.splice(0)) await workers.stop();
    for (const used of databases.splice(0)) await used.close();
    await sql`delete from broker_message`.execute(queries());
    await sql`delete from analysis_session`.execute(queries());
  });
  afterAll(async () => {
    await database.close();
    await remove();
  });

  return { open, start, started, queries, ...readingOf(queries) };
}

/** What the tables say of sessions. */
function readingOf(queries: () => Kysely<AnalysisTables>) {
  const { record } = storedSessions(queries);
  const statusOf = async (sessionId: string) => (await record(sessionId)).session.status;
  const untilStatus = (sessionId: string, status: SessionStatus) =>
    until(async () => (await statusOf(sessionId)) === status);
  const countOf = async (account: string, ...statuses: SessionStatus[]) =>
    (
      await queries()
        .selectFrom('analysis_session')
        .select('session_id')
        .where('account', '=', account)
        .where('status', 'in', statuses)
        .execute()
    ).length;

  return { record, statusOf, untilStatus, countOf };
}
