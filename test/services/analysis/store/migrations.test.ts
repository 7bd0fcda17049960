import { sql } from 'kysely';
import { expect, it } from 'vitest';
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
