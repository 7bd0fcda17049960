import type { Kysely } from 'kysely';
import type { RunningSession } from '../pipeline/run.ts';
import { findingsOf } from '../pipeline/session.ts';
import { type Checkpoints, checkpointOf } from '../session/checkpoint.ts';
import type { ModerationRequest } from '../session/moderation-request.ts';
import type { Progress } from '../store/checkpoints.ts';
import { enqueue } from '../store/moderation.ts';
import { completeSessions, type NewSessionEnd, type SessionEndsResult } from '../store/session-ends.ts';
import type { AnalysisTables } from '../store/tables.ts';

/** The end of a session with its verdict. */
export interface SessionEnd extends NewSessionEnd {
  /** Why people should look at it, if they should. */
  readonly wish: ModerationRequest | null;
}

/** The end that the checkpoints of a session lead to: `owner` is the process that holds it, `account` the user whose slot it has. */
export function sessionEndOf(
  { sessionId, plan }: Pick<RunningSession, 'sessionId' | 'plan'>,
  checkpoints: Checkpoints,
  { owner, account }: Pick<NewSessionEnd, 'owner' | 'account'>,
  progress: readonly Progress[],
): SessionEnd {
  const verdict = checkpointOf(checkpoints, 'verdict');
  if (verdict === undefined) throw new Error('a session ends with its verdict');
  const findings = findingsOf(plan, checkpoints);
  return { sessionId, findings, owner, account, progress, wish: verdict.enqueue };
}

/** Stores the verdicts and ends of sessions, and puts those that people should see before them. */
export async function endSessions(
  queries: Kysely<AnalysisTables>,
  ends: readonly SessionEnd[],
): Promise<SessionEndsResult> {
  if (ends.every(({ wish }) => wish === null)) return completeSessions(queries, ends);
  return queries.transaction().execute(async (change) => {
    const stored = await completeSessions(change, ends);
    for (const { sessionId, wish } of ends)
      if (wish !== null && stored.ended.has(sessionId)) await enqueue(change, sessionId, wish);
    return stored;
  });
}
