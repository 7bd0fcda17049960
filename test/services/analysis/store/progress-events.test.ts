import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '../../../../src/services/analysis/store/migrations.ts';
import { readProgress } from '../../../../src/services/analysis/store/progress-events.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';

forEachEngine(
  (engine) => {
    it('sessions from before there were events get those of their end', async () => {
      const database = engine.database();
      const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0030'));
      await database.migrate('analysis', earlier);
      const queries = database.kysely<AnalysisTables>();
      const insert = async (status: string, deleted = false) => {
        const sessionId = randomUUID();
        await sql`
        insert into analysis_session (session_id, user_id, account, input_type, input_hash, source_app, plan_type,
          user_flagged, status, submission, plan, risk_score, risk_level, confidence, completed_at, deleted_at)
        values (${sessionId}, 'ana', 'clients/ana', 'text', 'hash', 'api', 1, false, ${status}, '{}', '{}', 12.5, 'low', 0.5,
          now(), ${deleted ? new Date() : null})`.execute(queries);
        return sessionId;
      };
      const [completed, processing, deleted] = [
        await insert('completed'),
        await insert('processing'),
        await insert('completed', true),
      ];
      await database.migrate('analysis', migrations);
      expect(await readProgress(queries, completed, 0)).toMatchObject({
        isLast: true,
        events: [
          { event: { event: 'verdict.final', data: { risk_score: 12.5, risk_category: null, revision: 1 } } },
          { event: { event: 'session.status', data: { status: 'completed' } } },
        ],
      });
      expect(await readProgress(queries, processing, 0)).toMatchObject({
        isLast: false,
        events: [{ event: { data: { status: 'processing' } } }],
      });
      expect(await readProgress(queries, deleted, 0)).toEqual({ isLast: true, events: [] });
      expect(await readProgress(queries, randomUUID(), 0)).toEqual({ isLast: true, events: [] });
    });
  },
  { empty: true },
);
