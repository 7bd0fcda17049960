import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

let database: Database;
let analysis: RunningAnalysis;
const home = freshHome();
const HISTORY = '/api/v3/pipeline/history';

beforeAll(async () => {
  database = await openDatabase({ home: home.home, log: silent });
  analysis = await startAnalysis(database);
  const text = 'They are hiding the truth from all of us, share before it is deleted!';
  const sent = { as: 'clients/ana/user', body: { media_type: 'text', text, components: ['techniques'] } };
  expect((await analysis.ask('POST', '/api/v3/pipeline/analyze', sent)).status).toBe(200);
});
afterAll(async () => {
  await analysis.close();
  await database.close();
  home.remove();
});

const looks = () =>
  database.kysely<AnalysisTables>().selectFrom('analysis_access').selectAll().orderBy('access_id').execute();

describe('the history of somebody else', () => {
  it.each(['moderator', 'senior_moderator', 'auditor', 'admin'])(
    'is read by a %s, and the look is noted',
    async (role) => {
      const before = await looks();
      const { status, body, headers } = await analysis.ask('GET', `${HISTORY}?user_id=ana`, {
        as: `admins/eva/${role}`,
      });
      expect([status, body.data?.pagination.total]).toEqual([200, 1]);
      const noted = (await looks()).slice(before.length);
      expect(noted).toEqual([
        expect.objectContaining({
          actor: 'admins/eva',
          roles: [role],
          action: 'history',
          account: 'clients/ana',
          session_id: null,
          correlation_id: headers['x-correlation-id'],
        }),
      ]);
      expect(noted[0]?.at).toBeInstanceOf(Date);
    },
  );

  it.each([
    'admins/eva/',
    'admins/eva/user',
    'admins/eva/Moderator,robot',
    'clients/dan/user',
    'clients/dan/admin',
    'admins/ana/user',
  ])('is refused to %s, and nothing is noted', async (as) => {
    const before = await looks();
    const { status, body } = await analysis.ask('GET', `${HISTORY}?user_id=ana`, { as });
    expect([status, body.error_code]).toEqual([403, 'forbidden_role']);
    expect(await looks()).toEqual(before);
  });

  it('is not what one reads of oneself, however asked', async () => {
    const before = await looks();
    for (const query of ['', '?user_id=ana']) {
      const { status, body } = await analysis.ask('GET', `${HISTORY}${query}`, { as: 'clients/ana/user' });
      expect([status, body.data?.pagination.total]).toEqual([200, 1]);
    }
    expect(await looks()).toEqual(before);
  });
});

describe('the session behind an entry of the moderation queue', () => {
  it('is read by staff, and the look is noted', async () => {
    const text = 'They are hiding the truth from all of us, share before it is deleted!';
    const sent = { as: 'clients/ion/user', body: { media_type: 'text', text, user_flagged: true } };
    const { body } = await analysis.ask('POST', '/api/v3/pipeline/analyze', sent);
    const auditor = { as: 'admins/eva/auditor' };
    const queue = '/api/v3/moderation/queue';
    const before = await looks();
    const { body: list } = await analysis.ask('GET', queue, auditor);
    const [{ queue_id: id }] = list.data.items;
    expect(await looks()).toEqual(before);
    const { body: entry } = await analysis.ask('GET', `${queue}/${id}`, auditor);
    expect(entry.data.session.session_id).toBe(body.data.session_id);
    const [noted, ...more] = (await looks()).slice(before.length);
    expect(more).toEqual([]);
    expect(noted).toMatchObject({
      actor: 'admins/eva',
      action: 'session',
      account: 'clients/ion',
      session_id: body.data.session_id,
    });
  });
});
