import type { Selectable } from 'kysely';
import { prepareStatement } from '../../../foundation/database/prepared-statement.ts';
import { storableJson } from '../../../foundation/database/storable.ts';
import { CHECKPOINT_VERSION } from '../session/checkpoint.ts';
import { componentStarted, isComponent, statusChanged } from '../session/progress-event.ts';
import type { StoredSession } from '../session/record.ts';
import type { Submission } from '../session/submission.ts';
import type { CheckpointRow } from './checkpoints.ts';
import { submissionIn } from './sessions.ts';
import { ANNOUNCED_STORED, SESSIONS_BEGUN, type StepLockRequest } from './step-locks.ts';
import type { Queries, SessionTable } from './tables.ts';

/** The part of a session that a worker needs. */
export interface WorkerSession {
  readonly session: Pick<
    StoredSession,
    'sessionId' | 'account' | 'inputText' | 'inputHash' | 'plan' | 'status'
  >;
  readonly submission: Submission;
}

/** A session as a worker reads it. */
export interface SessionWithSteps {
  readonly record: WorkerSession;
  /** What is stored of its steps, in the order in which they ended. */
  readonly rows: readonly CheckpointRow[];
}

/** A session with its steps, and whether the caller now holds the requested step. */
export interface ClaimedStep extends SessionWithSteps {
  readonly held: boolean;
}

const WORKED_COLUMNS = [
  'session_id',
  'account',
  'input_text',
  'input_hash',
  'plan',
  'status',
  'submission',
] as const;
type WorkedRow = Pick<Selectable<SessionTable>, (typeof WORKED_COLUMNS)[number]>;

const SESSION = WORKED_COLUMNS.map((column) => `session.${column}`).join(', ');

function workedSession(row: WorkedRow): WorkerSession {
  const { session_id: sessionId, account, input_text: inputText, input_hash: inputHash, plan, status } = row;
  return {
    session: { sessionId, account, inputText, inputHash, plan, status },
    submission: submissionIn(row),
  };
}

/** The checkpoints of a row of `session`, as JSON. */
const checkpointsWith = (content: string) => `(
  select coalesce(json_agg(json_build_object('step', step, 'input_hash', checkpoint.input_hash, 'version', version,
    'config_version', checkpoint.config_version, 'content', ${content}) order by checkpoint_id), '[]')
  from analysis_checkpoint as checkpoint where checkpoint.session_id = session.session_id) as checkpoints`;

const readOutlines = prepareStatement<WorkedRow & { checkpoints: CheckpointRow[] }>(`
  select ${SESSION}, ${checkpointsWith('null')} from analysis_session as session
  where session_id = any($1::uuid[]) and deleted_at is null`);

/** Reads sessions with the heads of their checkpoints, in the order of the ids; undefined where there is none, or it was deleted. */
export async function readSessions(
  queries: Queries,
  ids: readonly string[],
): Promise<(SessionWithSteps | undefined)[]> {
  const rows = await readOutlines(queries, [ids]);
  const rowsById = new Map(rows.map((row) => [row.session_id, row]));
  return ids.map((id) => {
    const row = rowsById.get(id);
    return row === undefined ? undefined : { record: workedSession(row), rows: row.checkpoints };
  });
}

const takeAll = prepareStatement<WorkedRow & { checkpoints: CheckpointRow[]; holders: string[] }>(`
  with request as (
    select * from jsonb_to_recordset($1::jsonb) as request (session_id uuid, step text, holder uuid, event text, data jsonb)),
  locked as (
    select session_id, status, input_hash, plan from analysis_session
    where session_id = any($2::uuid[]) and deleted_at is null and status in ('pending', 'processing', 'running')
    order by session_id for no key update),
  ready as (
    select request.session_id, request.step, holder from request join locked using (session_id)
    where not exists (
        select from analysis_checkpoint as own where own.session_id = request.session_id and own.step = request.step)
      and not exists (
        select from jsonb_to_recordset(plan->'steps') as planned (name text, "dependsOn" jsonb),
          jsonb_array_elements_text("dependsOn") as need
        where name = request.step and not exists (
          select from analysis_checkpoint as other
          where other.session_id = request.session_id and other.step = need
            and other.version = ${CHECKPOINT_VERSION} and other.input_hash = locked.input_hash))),
  changed as (
    insert into analysis_step_hold (session_id, step, holder) select session_id, step, holder from ready
    on conflict (session_id, step) do nothing returning session_id, holder),
  begun as (${SESSIONS_BEGUN}),
  announced (session_id, place, event, data) as (
    select session_id, 0, $3::text, $4::jsonb from begun
    union all
    select session_id, 1, event, data from changed join request using (session_id, holder) where event is not null),
  stored as (${ANNOUNCED_STORED})
  select ${SESSION}, ${checkpointsWith('content')},
    array(select holder::text from changed where changed.session_id = session.session_id) as holders
  from analysis_session as session where session_id = any($2::uuid[]) and deleted_at is null`);

/**
 * Reads sessions with their checkpoints and takes the steps that may run at once: what they rest on has ended, they have not, and
 * no other delivery holds them. Of the others it is left to `lockSteps` to say what they wait for. Answers in the order of the requests;
 * undefined where there is no session, or it was deleted.
 */
export async function claimSteps(
  queries: Queries,
  requests: readonly Pick<StepLockRequest, 'sessionId' | 'step' | 'holder'>[],
): Promise<(ClaimedStep | undefined)[]> {
  const ids = [...new Set(requests.map(({ sessionId }) => sessionId))];
  const requestRows = requests.map(({ sessionId, step, holder }) => {
    const started = isComponent(step) ? componentStarted(step) : {};
    return { session_id: sessionId, step, holder, ...started };
  });
  const running = statusChanged('running');
  const rows = await takeAll(queries, [
    storableJson(requestRows),
    ids,
    running.event,
    storableJson(running.data),
  ]);
  const sessions = new Map(
    rows.map((row) => [
      row.session_id,
      { record: workedSession(row), rows: row.checkpoints, holders: row.holders },
    ]),
  );
  return requests.map(({ sessionId, holder }) => {
    const session = sessions.get(sessionId);
    if (session === undefined) return undefined;
    const { holders, ...rest } = session;
    return { ...rest, held: holders.includes(holder) };
  });
}
