import { type InsertObject, type OperationNodeSource, type RawBuilder, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { jsonb, storableJson } from '../../../foundation/database/storable.ts';
import type { SessionStatus } from '../resources/analysis-session.ts';
import { checkpointOf } from '../session/checkpoint.ts';
import type { Enqueue } from '../session/enqueue.ts';
import type { Material } from '../session/material.ts';
import type { Plan } from '../session/plan.ts';
import { type ProgressEvent, statusChanged, verdictReached } from '../session/progress-event.ts';
import type { Findings, StoredSession } from '../session/record.ts';
import { type SessionEvent, statusesBefore } from '../session/states.ts';
import type { Submission } from '../session/submission.ts';
import { eventsIn, insertedCheckpoints, type NewCheckpoint, type SessionProgress } from './checkpoints.ts';
import { releaseMediaOf } from './media.ts';
import { insertedEvents } from './progress-events.ts';
import { toStoredSession } from './rows.ts';
import { forgetHolds } from './step-holds.ts';
import type { AnalysisTables, Queries, SessionSummaryColumns, SessionTable } from './tables.ts';

/** A session about to be stored. */
export interface NewSession {
  readonly sessionId: string;
  readonly submission: Submission;
  readonly plan: Plan;
  readonly status: SessionStatus;
  /** What is there already: the material, where it waits for nothing outside this process. */
  readonly checkpoints: readonly NewCheckpoint[];
  readonly idempotencyKey: string | null;
  readonly requestHash: string | null;
  /** Puts it into the moderation queue as soon as it is accepted. */
  readonly enqueue?: Enqueue | null;
  /** The version of the configuration by which it runs. */
  readonly configVersion: number;
  readonly lease: { readonly owner: string; readonly until: Date | RawBuilder<Date> } | null;
}

/** A stored session with what the pipeline needs of it. */
export interface SessionRecord {
  readonly session: StoredSession;
  readonly submission: Submission;
  readonly requestHash: string | null;
}

function toRecord(row: Selectable<SessionTable>): SessionRecord {
  return { submission: row.submission, requestHash: row.request_hash, session: toStoredSession(row) };
}

/** The material that a session begins with. */
function materialIn({ checkpoints }: NewSession): Material | undefined {
  return checkpointOf(
    checkpoints.map(({ checkpoint }) => checkpoint),
    'material',
  )?.material;
}

/** Makes a change of a session with the events that tell of it, in one statement; false when nothing was changed. */
async function storeChange(
  queries: Queries,
  change: OperationNodeSource,
  events: readonly ProgressEvent[],
): Promise<boolean> {
  const announced = insertedEvents(
    'changed',
    events.map((event) => ({ event })),
  );
  const { rows } = await sql`
    with changed as (${change}), announced as (${announced}) select session_id from changed`.execute(queries);
  return rows.length > 0;
}

/** The row of a new session. */
function rowOf(created: NewSession): InsertObject<AnalysisTables, 'analysis_session'> {
  const { submission, plan, lease } = created;
  // The text has a column of its own: keeping it twice would double the largest part of the row.
  const { text, ...rest } = submission;
  return {
    session_id: created.sessionId,
    user_id: submission.userId,
    account: submission.account,
    user_email: submission.userEmail,
    input_type: submission.mediaType,
    input_text: text,
    input_url: submission.url,
    input_media_url: submission.mediaUrl,
    // Read here: it may have gone since the request was checked.
    media_id: sql<
      string | null
    >`(select media_id from media_object where media_id = ${submission.mediaId ?? null})`,
    input_hash: submission.inputHash,
    input_language: materialIn(created)?.parts.text?.language ?? null,
    source_app: submission.sourceApp,
    plan_type: submission.planType,
    user_flagged: submission.userFlagged,
    status: created.status,
    submission: jsonb(rest),
    plan: jsonb(plan),
    idempotency_key: created.idempotencyKey,
    request_hash: created.requestHash,
    config_version: created.configVersion,
    lease_until: lease?.until ?? null,
    owner: lease?.owner ?? null,
    started_at: created.status === 'running' ? sql<Date>`now()` : null,
  };
}

/**
 * Stores new sessions with their first checkpoints and events, in one statement. Returns which were stored: not those of whose
 * user the idempotency key is taken.
 */
export async function insertSessions(
  queries: Queries,
  all: readonly NewSession[],
): Promise<ReadonlySet<string>> {
  const insertion = queries
    .insertInto('analysis_session')
    .values(all.map(rowOf))
    .onConflict((conflict) =>
      conflict.columns(['account', 'idempotency_key']).where('idempotency_key', 'is not', null).doNothing(),
    )
    .returning('session_id');
  const begun = all.map(({ sessionId, status, checkpoints }) => {
    return { sessionId, progress: [statusChanged(status), ...checkpoints] };
  });
  const { rows } = await sql<{ session_id: string }>`
    with changed as (${insertion}),
    stored as (${insertedCheckpoints(begun)}),
    announced as (${insertedEvents('changed', eventsIn(begun), sql`stored`)})
    select session_id from changed`.execute(queries);
  return new Set(rows.map(({ session_id }) => session_id));
}

/** Stores a new session; false when the user's idempotency key is taken. */
export async function insertSession(queries: Queries, created: NewSession): Promise<boolean> {
  return (await insertSessions(queries, [created])).has(created.sessionId);
}

/** The session of a whole row. */
export function recordOf(row: Selectable<SessionTable>): SessionRecord {
  const record = toRecord(row);
  const text = record.submission.mediaType === 'text' ? row.input_text : null;
  return { ...record, submission: { ...record.submission, text } };
}

/** The revision that the pipeline makes; people make the others. */
const FIRST_REVISION = 1;

const sessionIdForm = z.uuid();

/** A session by its id; with a user, only if it is that user's. Deleted ones and what is no id are not found. */
export async function findSession(
  queries: Queries,
  sessionId: string,
  account?: string,
): Promise<SessionRecord | undefined> {
  if (!sessionIdForm.safeParse(sessionId).success) return undefined;
  let query = queries
    .selectFrom('analysis_session')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('deleted_at', 'is', null);
  if (account !== undefined) query = query.where('account', '=', account);
  const row = await query.executeTakeFirst();
  return row === undefined ? undefined : recordOf(row);
}

/** The session that a user's idempotency key stands for. */
export async function findByKey(
  queries: Queries,
  account: string,
  key: string,
): Promise<SessionRecord | undefined> {
  const row = await queries
    .selectFrom('analysis_session')
    .selectAll()
    .where('account', '=', account)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  return row === undefined ? undefined : recordOf(row);
}

/** Stores what the material step found out about the input. */
export async function storeMaterial(
  queries: Queries,
  sessionId: string,
  { title, parts: { text, image, sound, video } }: Material,
): Promise<void> {
  const mediaId = (image ?? sound ?? video)?.stored?.media_id;
  await queries
    .updateTable('analysis_session')
    .set({
      ...(mediaId !== undefined && { media_id: mediaId }),
      input_text: text?.text ?? null,
      input_title: title,
      input_language: text?.language ?? 'und',
    })
    .where('session_id', '=', sessionId)
    .where('deleted_at', 'is', null)
    .execute();
}

/** Columns that an event may set beside the status. */
export type SessionPatch = Partial<
  Pick<
    SessionTable,
    'error_code' | 'lease_until' | 'owner' | 'cancel_requested_at' | 'started_at' | 'completed_at'
  >
>;

/** Moves a session by an event, in one guarded statement; false when its status does not allow the event. */
export async function moveSession(
  queries: Queries,
  sessionId: string,
  event: SessionEvent,
  status: SessionStatus,
  patch: SessionPatch = {},
): Promise<boolean> {
  const change = queries
    .updateTable('analysis_session')
    .set({ ...patch, status })
    .where('session_id', '=', sessionId)
    .where('status', 'in', statusesBefore(event))
    .returning('session_id');
  return storeChange(queries, change, [statusChanged(status, patch.error_code ?? null)]);
}

/** The end of a session. */
export interface NewEnd extends SessionProgress {
  readonly findings: Findings;
  /** The process that must hold the session; null when none may. */
  readonly owner: string | null;
}

/** The numbers and lists of an end as columns, with whose it is. */
function endRow({ sessionId, owner, findings }: NewEnd) {
  const { verdict, topic, componentsRun, componentsSkipped, skipped, degraded } = findings;
  return {
    session_id: sessionId,
    owner,
    risk_score: verdict?.risk_score ?? null,
    risk_category: verdict?.risk_category ?? null,
    risk_level: verdict?.risk_level ?? null,
    confidence: verdict?.confidence ?? null,
    confidence_level: verdict?.confidence_level ?? null,
    topic,
    summary: {
      components_run: componentsRun,
      components_skipped: componentsSkipped,
      skipped,
      degraded,
    } satisfies SessionSummaryColumns,
  };
}

/** What the end of a session is told by, after its last steps. */
function endEvents({ findings: { verdict } }: NewEnd): ProgressEvent[] {
  const completed = statusChanged('completed');
  return verdict === null ? [completed] : [verdictReached(verdict, FIRST_REVISION), completed];
}

/**
 * Stores the ends of sessions, the numbers that lists show and the last checkpoints, in one statement. Returns which were stored:
 * of one that was cancelled or ended before, nothing is.
 */
export async function completeSessions(
  queries: Queries,
  all: readonly NewEnd[],
): Promise<ReadonlySet<string>> {
  const ids = all.map(({ sessionId }) => sessionId);
  const ended = all.map((end) => ({ ...end, progress: [...end.progress, ...endEvents(end)] }));
  const { rows } = await sql<{ session_id: string }>`
    with locked as (
      select session_id, status, owner from analysis_session
      where session_id = any(${ids}::uuid[]) order by session_id for no key update),
    changed as (
      update analysis_session as session set
        status = 'completed', risk_score = new.risk_score, risk_category = new.risk_category, risk_level = new.risk_level,
        confidence = new.confidence, confidence_level = new.confidence_level, topic = new.topic, summary = new.summary,
        lease_until = null, owner = null, completed_at = now(),
        total_duration_ms = least(2147483647, extract(epoch from now() - session.created_at) * 1000)::integer
      from locked join jsonb_to_recordset(${storableJson(all.map(endRow))}::jsonb) as new (
        session_id uuid, owner text, risk_score float8, risk_category text, risk_level text, confidence float8,
        confidence_level text, topic text, summary jsonb) on new.session_id = locked.session_id
      where session.session_id = locked.session_id and locked.status = any(${statusesBefore('verdict_stored')}::text[])
        and locked.owner is not distinct from new.owner
      returning session.session_id),
    stored as (${insertedCheckpoints(all)}),
    let_go as (delete from analysis_step_hold where session_id in (select session_id from changed)),
    announced as (${insertedEvents('changed', eventsIn(ended), sql`stored`)})
    select session_id from changed`.execute(queries);
  return new Set(rows.map(({ session_id }) => session_id));
}

/** Erases what a session holds of its content; who, when and how it ended stay for the audit. */
export async function eraseSession(queries: Queries, sessionId: string, at: Date): Promise<void> {
  await releaseMediaOf(queries, sessionId);
  await queries.deleteFrom('analysis_checkpoint').where('session_id', '=', sessionId).execute();
  await forgetHolds(queries, sessionId);
  await queries.deleteFrom('analysis_progress').where('session_id', '=', sessionId).execute();
  await queries.deleteFrom('analysis_revision').where('session_id', '=', sessionId).execute();
  await queries.deleteFrom('session_feedback').where('session_id', '=', sessionId).execute();
  await queries
    .updateTable('analysis_session')
    .set({
      input_text: null,
      input_title: null,
      input_url: null,
      input_media_url: null,
      user_email: null,
      submission: jsonb({}),
      plan: jsonb({}),
      summary: null,
      idempotency_key: null,
      deleted_at: at,
    })
    .where('session_id', '=', sessionId)
    .execute();
}
