import { sql } from 'kysely';
import { jsonb } from '../../../foundation/database/storable.ts';
import { statusChanged, verdictReached } from '../session/progress-event.ts';
import type { VerdictSummary } from '../session/record.ts';
import { type RevisionContent, revisionContent } from '../session/revision.ts';
import { statusAfter, statusesBefore } from '../session/states.ts';
import type { Actor } from './moderation.ts';
import { insertedEvents } from './progress-events.ts';
import type { Queries } from './tables.ts';

/** A revision of the result of a session; the first one is the automatic result. */
export interface StoredRevision {
  readonly revision: number;
  readonly content: RevisionContent;
  readonly actor: string;
  readonly reason: string | null;
  readonly createdAt: Date;
}

/** The revisions of a session that a person made, and the automatic one before them; none when it was not corrected. */
export async function listRevisions(queries: Queries, sessionId: string): Promise<StoredRevision[]> {
  const rows = await queries
    .selectFrom('analysis_revision')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('revision')
    .execute();
  return rows.map((row) => ({
    revision: row.revision,
    content: revisionContent.parse(row.content),
    actor: row.actor,
    reason: row.reason,
    createdAt: row.created_at,
  }));
}

/** One revision of a session. */
export async function readRevision(
  queries: Queries,
  sessionId: string,
  revision: number,
): Promise<RevisionContent | undefined> {
  const row = await queries
    .selectFrom('analysis_revision')
    .select('content')
    .where('session_id', '=', sessionId)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return row === undefined ? undefined : revisionContent.parse(row.content);
}

/** Records a corrected verdict for those who follow the session, which the change in the same transaction has locked. */
async function announceCorrection(
  queries: Queries,
  sessionId: string,
  verdict: VerdictSummary,
  revision: number,
): Promise<void> {
  const events = [verdictReached(verdict, revision), statusChanged('completed')];
  await sql`
    with changed as (select ${sessionId}::uuid as session_id)
    ${insertedEvents(
      'changed',
      events.map((event) => ({ event })),
    )}`.execute(queries);
}

/** A correction to be stored, and what it corrects. */
export interface Correction {
  readonly sessionId: string;
  /** The revision that was corrected. */
  readonly from: number;
  readonly before: RevisionContent;
  readonly after: RevisionContent;
  readonly actor: Actor;
  readonly reason: string | null;
}

/**
 * Stores a correction as a new revision, which is the result of the session from now on. False when the session is not
 * completed, or another revision came in between.
 */
export async function storeCorrection(queries: Queries, correction: Correction): Promise<boolean> {
  const { sessionId, from, before, after, actor, reason } = correction;
  const { verdict } = after;
  const moved = await queries
    .updateTable('analysis_session')
    .set({
      status: statusAfter('completed', 'corrected'),
      revision: from + 1,
      risk_score: verdict.risk_score,
      risk_category: verdict.risk_category,
      risk_level: verdict.risk_level,
      confidence: verdict.confidence,
      confidence_level: verdict.confidence_level,
    })
    .where('session_id', '=', sessionId)
    .where('revision', '=', from)
    .where('status', 'in', statusesBefore('corrected'))
    .where('deleted_at', 'is', null)
    .returning('completed_at')
    .executeTakeFirst();
  if (moved === undefined) return false;
  await announceCorrection(queries, sessionId, verdict, from + 1);
  if (from === 1) {
    await queries
      .insertInto('analysis_revision')
      .values({
        session_id: sessionId,
        revision: 1,
        content: jsonb(before),
        actor: 'system',
        reason: null,
        created_at: moved.completed_at ?? sql<Date>`clock_timestamp()`,
      })
      .execute();
  }
  await queries
    .insertInto('analysis_revision')
    .values({
      session_id: sessionId,
      revision: from + 1,
      content: jsonb(after),
      actor: actor.name,
      reason,
    })
    .execute();
  return true;
}
