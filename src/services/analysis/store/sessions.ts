import { type InsertObject, type OperationNodeSource, type RawBuilder, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { jsonb } from '../../../foundation/database/storable.ts';
import type { SessionStatus } from '../resources/analysis-session.ts';
import { checkpointOf } from '../session/checkpoint.ts';
import type { Material } from '../session/material.ts';
import type { ModerationRequest } from '../session/moderation-request.ts';
import type { Plan } from '../session/plan.ts';
import { type ProgressEvent, statusChanged } from '../session/progress-event.ts';
import type { StoredSession } from '../session/record.ts';
import { type SessionEvent, statusesBefore } from '../session/states.ts';
import type { Submission } from '../session/submission.ts';
import { eventsToStore, insertedCheckpoints, type NewCheckpoint } from './checkpoints.ts';
import { releaseMediaOf } from './media.ts';
import { insertedEvents } from './progress-events.ts';
import { type SessionRow, toStoredSession } from './rows.ts';
import { deleteStepLocks } from './step-locks.ts';
import type { AnalysisTables, Queries, SessionTable } from './tables.ts';

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
  readonly enqueue?: ModerationRequest | null;
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

/** A row with what a record is read from. */
type RecordRow = SessionRow & Pick<Selectable<SessionTable>, 'submission' | 'request_hash'>;

/** Makes a change of a session with the events that record it, in one statement; false when nothing was changed. */
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

/** What a new session is stored with, as JSON would hold it. */
export function newSessionColumns({
  sessionId,
  submission,
  plan,
  checkpoints,
  ...rest
}: Omit<NewSession, 'status' | 'lease' | 'enqueue'>) {
  // The text has a column of its own: keeping it twice would double the largest part of the row.
  const { text, ...others } = submission;
  const made = checkpointOf(
    checkpoints.map(({ checkpoint }) => checkpoint),
    'material',
  );
  return {
    session_id: sessionId,
    user_id: submission.userId,
    account: submission.account,
    user_email: submission.userEmail,
    input_type: submission.mediaType,
    input_text: text,
    input_url: submission.url,
    input_media_url: submission.mediaUrl,
    media_id: submission.mediaId ?? null,
    input_hash: submission.inputHash,
    input_language: made?.material.parts.text?.language ?? null,
    source_app: submission.sourceApp,
    plan_type: submission.planType,
    user_flagged: submission.userFlagged,
    submission: others,
    plan,
    idempotency_key: rest.idempotencyKey,
    request_hash: rest.requestHash,
    config_version: rest.configVersion,
  };
}

/** The row of a new session. */
function rowOf(created: NewSession): InsertObject<AnalysisTables, 'analysis_session'> {
  const { lease, status } = created;
  const { media_id, submission, plan, ...columns } = newSessionColumns(created);
  return {
    ...columns,
    // Read here: it may have gone since the request was checked.
    media_id: sql<string | null>`(select media_id from media_object where media_id = ${media_id})`,
    submission: jsonb(submission),
    plan: jsonb(plan),
    status,
    lease_until: lease?.until ?? null,
    owner: lease?.owner ?? null,
    started_at: status === 'running' ? sql<Date>`now()` : null,
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
    announced as (${insertedEvents('changed', eventsToStore(begun), sql`stored`)})
    select session_id from changed`.execute(queries);
  return new Set(rows.map(({ session_id }) => session_id));
}

/** Stores a new session; false when the user's idempotency key is taken. */
export async function insertSession(queries: Queries, created: NewSession): Promise<boolean> {
  return (await insertSessions(queries, [created])).has(created.sessionId);
}

/** What was submitted, with the text that has a column of its own. */
export function submissionIn({
  submission,
  input_text,
}: Pick<RecordRow, 'submission' | 'input_text'>): Submission {
  return { ...submission, text: submission.mediaType === 'text' ? input_text : null };
}

/** The session of a row. */
function recordOf(row: RecordRow): SessionRecord {
  return { submission: submissionIn(row), requestHash: row.request_hash, session: toStoredSession(row) };
}

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

/** Erases what a session holds of its content; who, when and how it ended stay for the audit. */
export async function eraseSession(queries: Queries, sessionId: string, at: Date): Promise<void> {
  await releaseMediaOf(queries, sessionId);
  await queries.deleteFrom('analysis_checkpoint').where('session_id', '=', sessionId).execute();
  await deleteStepLocks(queries, sessionId);
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
