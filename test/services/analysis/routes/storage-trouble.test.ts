import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import {
  describeServer,
  freshHome,
  freshPostgres,
  server,
  silent,
} from '../../../foundation/database/engines.ts';
import { eventually } from '../../../patience.ts';
import { ADMIN, type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const TEXT = 'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share it now!';
const BODY = { media_type: 'text', text: TEXT };
const PIPELINE = '/api/v3/pipeline';
const SESSION = `${PIPELINE}/sessions/${randomUUID()}`;
const MODERATOR = 'admins/mara/moderator';

describeServer('the analysis service on a database in trouble', () => {
  const home = freshHome();
  let place: Awaited<ReturnType<typeof freshPostgres>>;
  let database: Database;
  let service: RunningAnalysis;
  beforeAll(async () => {
    place = await freshPostgres();
    database = await openDatabase({ url: place.url, home: home.home, log: silent });
    service = await startAnalysis(database, {}, home.home);
  });
  afterAll(async () => {
    await service.close();
    await database.close();
    await place.remove();
    home.remove();
  });

  /** Refuses connections to the database and ends the open ones, or allows them again. */
  const close = async (closed: boolean) => {
    const client = new Client({ connectionString: server });
    await client.connect();
    const name = new URL(place.url).pathname.slice(1);
    await client.query(`alter database ${name} with allow_connections ${!closed}`);
    if (closed)
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await client.end();
  };
  const health = async () => (await service.ask('GET', '/health', { as: null })).status;

  const operations: [method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, as?: string][] =
    [
      ['POST', `${PIPELINE}/analyze`, BODY],
      ['POST', `${PIPELINE}/analyze-async`, BODY],
      ['POST', '/api/v3/claims/analyze', BODY],
      ['GET', SESSION],
      ['GET', `${SESSION}/status`],
      ['GET', `${SESSION}/events`],
      ['GET', `${SESSION}/checkpoints`],
      ['GET', `${SESSION}/report`],
      ['POST', `${SESSION}/cancel`, {}],
      ['POST', `${SESSION}/resume`, {}],
      ['DELETE', SESSION],
      ['GET', `${PIPELINE}/history`],
      ['GET', `${PIPELINE}/results/${randomUUID()}`],
      ['GET', `/api/v3/techniques/results/${randomUUID()}`],
      ['GET', '/api/extension-keys'],
      ['POST', '/api/extension-keys', { label: 'My browser' }],
      ['GET', '/api/v3/moderation/queue', undefined, MODERATOR],
      ['POST', '/api/v3/moderation/queue/next', {}, MODERATOR],
      ['PUT', '/api/v3/techniques/stage-assignments', { stage: 'deep', tier: 'free', primary: null }, ADMIN],
    ];

  it('answers 503 with Retry-After wherever it stores or reads, and loses nothing that it has accepted', async () => {
    const accepted: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const { status, body } = await service.ask('POST', `${PIPELINE}/analyze-async`, { body: BODY });
      expect(status).toBe(202);
      accepted.push(body.data.session_id);
    }
    await close(true);
    const answers = await Promise.all(
      operations.map(async ([method, path, body, as]) => {
        const sent = { ...(body !== undefined && { body }), ...(as !== undefined && { as }) };
        const answer = await service.ask(method, path, sent);
        return [method, path, answer.status, answer.body.error_code, answer.headers['retry-after']];
      }),
    );
    expect(answers).toEqual(
      operations.map(([method, path]) => [method, path, 503, 'service_unavailable', '5']),
    );
    expect(await health()).toBe(503);
    await close(false);
    await eventually(async () => expect(await health()).toBe(200));
    for (const id of accepted)
      await eventually(async () => {
        const { body } = await service.ask('GET', `${PIPELINE}/sessions/${id}`);
        expect(body.data?.status).toBe('completed');
      });
  });
});
