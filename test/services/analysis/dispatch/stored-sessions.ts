import type { Kysely } from 'kysely';
import { analysisSessionOf } from '../../../../src/services/analysis/pipeline/session.ts';
import { readCheckpoints } from '../../../../src/services/analysis/store/checkpoints.ts';
import { findSession, type SessionRecord } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { silent } from '../../../foundation/database/engines.ts';

/** Sessions as they are stored. */
export function storedSessions(queries: () => Kysely<AnalysisTables>) {
  const record = async (sessionId: string): Promise<SessionRecord> => {
    const found = await findSession(queries(), sessionId);
    if (found === undefined) throw new Error('the session is gone');
    return found;
  };

  const checkpointsOf = async ({ session }: SessionRecord) =>
    (await readCheckpoints(queries(), session, silent)).checkpoints;

  const whole = async (found: SessionRecord) => analysisSessionOf(found.session, await checkpointsOf(found));

  return { record, checkpointsOf, whole };
}
