import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { analysis } from '../../../../src/services/analysis/contract.ts';
import { readHistory } from '../../../../src/services/analysis/store/history.ts';
import { migrations } from '../../../../src/services/analysis/store/migrations.ts';
import { insertSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { newSession, submissionOf } from '../harness.ts';

/** Scores of sessions, the newest first; null where there is no verdict. */
const SCORES = [40, null, 10, 90, null, 20, 70];

forEachEngine((engine) => {
  const account = `clients/${randomUUID()}`;
  const queries = () => engine.database().kysely<AnalysisTables>();
  beforeAll(async () => {
    await engine.database().migrate('analysis', migrations);
    for (const [index, score] of SCORES.entries()) {
      const created = newSession(submissionOf({ account }));
      await insertSession(queries(), { ...created, status: 'processing', lease: null });
      await queries()
        .updateTable('analysis_session')
        .set({ created_at: new Date(Date.UTC(2026, 0, 20 - index)), risk_score: score, source_app: 'api' })
        .where('session_id', '=', created.sessionId)
        .execute();
    }
  });

  /** The places of the listed sessions in the order of their days, page by page. */
  async function places(sort: string): Promise<number[]> {
    const found: number[] = [];
    for (const page of [1, 2, 3, 4]) {
      const query = analysis.operations.history.query.parse({ sort, page, limit: 3 });
      const { items, total } = await readHistory(queries(), account, query);
      expect(total).toBe(SCORES.length);
      found.push(...items.map(({ session }) => 20 - session.createdAt.getUTCDate()));
    }
    return found;
  }

  it.each([
    ['-created_at', [0, 1, 2, 3, 4, 5, 6]],
    ['created_at', [6, 5, 4, 3, 2, 1, 0]],
  ])('pages by %s hold each session once', async (sort, expected) => {
    expect(await places(sort)).toEqual(expected);
  });

  it('sessions without a score come last, either way', async () => {
    expect((await places('-risk_score')).slice(0, 5)).toEqual([3, 6, 0, 5, 2]);
    expect((await places('risk_score')).slice(0, 5)).toEqual([2, 5, 0, 6, 3]);
    expect((await places('risk_score')).slice(5).sort()).toEqual([1, 4]);
  });
});
