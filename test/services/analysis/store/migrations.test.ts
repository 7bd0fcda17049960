import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations as configurationMigrations } from '../../../../src/foundation/configuration/tables.ts';
import { readHistory } from '../../../../src/services/analysis/store/history.ts';
import { migrations } from '../../../../src/services/analysis/store/migrations.ts';
import { findSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';

const SESSION_ID = '00000000-0000-4000-8000-000000000001';
const step = { queue: 'q', priority: 1, timeoutMs: 1000, dependsOn: [] };
const earlierPlan = {
  mediaType: 'text',
  planType: 1,
  profile: { profile_code: 'default_text' },
  nodes: [
    { ...step, node: 'techniques' },
    { ...step, node: 'verdict', dependsOn: ['techniques'] },
  ],
  skipped: [
    { component: 'claims', reason: 'left out by the request' },
    { component: 'domain', reason: 'there is no web address to judge a source by' },
  ],
};

forEachEngine(
  (engine) => {
    it('sessions from before versioned checkpoints can still be read', async () => {
      const first = Object.fromEntries(Object.entries(migrations).filter(([id]) => id < '0003'));
      await engine.database().migrate('analysis', first);
      const queries = engine.database().kysely<AnalysisTables>();
      await sql`insert into analysis_session (session_id, user_id, account, input_type, input_hash, source_app, plan_type,
        user_flagged, status, submission, plan, summary, risk_category)
      values (${SESSION_ID}, 'ana', 'clients/ana', 'text', 'h', 'api', 1, false, 'completed', '{}',
        ${JSON.stringify(earlierPlan)}, '{"components_run": ["techniques"], "skipped": [{"reason": "old words"}]}', 'low')`.execute(
        queries,
      );
      await engine.database().migrate('analysis', migrations);
      const record = await findSession(queries, SESSION_ID);
      expect(record?.session.plan).toEqual({
        ...earlierPlan,
        nodes: undefined,
        assignments: {},
        steps: [
          { ...step, name: 'techniques' },
          { ...step, name: 'verdict', dependsOn: ['techniques'] },
        ],
        skipped: [
          { component: 'claims', reason: { code: 'left_out_by_request', values: {} } },
          { component: 'domain', reason: { code: 'no_web_address', values: {} } },
        ],
      });
      const { items } = await readHistory(queries, 'clients/ana', { page: 1, limit: 5, sort: '-created_at' });
      expect(items[0]?.findings).toMatchObject({
        componentsRun: ['techniques'],
        skipped: [{ component: 'claims' }, { component: 'domain' }],
      });
    });
  },
  { empty: true },
);

forEachEngine(
  (engine) => {
    it('a least confidence of 0.5, the default of former releases, becomes the default of now', async () => {
      const database = engine.database();
      const first = Object.fromEntries(Object.entries(migrations).filter(([id]) => id < '0091'));
      await database.migrate('configuration', configurationMigrations);
      await database.migrate('analysis', first);
      const queries = database.kysely<AnalysisTables>();
      const store = async (sessionId: string, leastConfidence: number) => {
        const plan = { ...earlierPlan, tuning: { leastConfidence, mostClaims: 50 } };
        await sql`insert into analysis_session (session_id, user_id, account, input_type, input_hash, source_app, plan_type,
          user_flagged, status, submission, plan)
        values (${sessionId}, 'ana', 'clients/ana', 'text', 'h', 'api', 1, false, 'processing', '{}', ${JSON.stringify(plan)})`.execute(
          queries,
        );
      };
      const OTHER_ID = SESSION_ID.replace(/1$/, '2');
      await store(SESSION_ID, 0.5);
      await store(OTHER_ID, 0.6);
      const KEY = 'analysis.techniques.least_confidence';
      const change = (
        configVersion: number,
        key: string,
        version: number,
        old: string | null,
        value: string,
      ) =>
        sql`insert into configuration_change (config_version, key, version, old, value, actor)
          values (${configVersion}, ${key}, ${version}, ${old}, ${value}, 'dora')`.execute(queries);
      await change(1, KEY, 1, null, '0.7');
      await change(2, 'analysis.other', 1, null, '0.5');
      await change(3, KEY, 2, '0.7', '0.5');
      await database.migrate('analysis', migrations);
      const least = async (id: string) =>
        (await findSession(queries, id))?.session.plan.tuning?.leastConfidence;
      expect([await least(SESSION_ID), await least(OTHER_ID)]).toEqual([0, 0.6]);
      const { rows } =
        await sql`select config_version::int as at, key, version::int as version, old, value, actor
        from configuration_change where actor <> 'dora'`.execute(queries);
      expect(rows).toEqual([{ at: 4, key: KEY, version: 3, old: 0.5, value: null, actor: 'upgrade' }]);
    });
  },
  { empty: true },
);
