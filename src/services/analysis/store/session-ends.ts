import { prepareStatement } from '../../../foundation/database/prepared-statement.ts';
import { storableJson } from '../../../foundation/database/storable.ts';
import { CHECKPOINT_VERSION } from '../session/checkpoint.ts';
import { type ProgressEvent, statusChanged, verdictReached } from '../session/progress-event.ts';
import type { Findings } from '../session/record.ts';
import { statusesBefore } from '../session/states.ts';
import { checkpointRows, eventsToStore, type SessionProgress } from './checkpoints.ts';
import { eventRows } from './progress-events.ts';
import type { Queries, SessionSummaryColumns } from './tables.ts';

/** The end of a session. */
export interface NewSessionEnd extends SessionProgress {
  readonly findings: Findings;
  /** The process that must hold the session; null when none may. */
  readonly owner: string | null;
  /** Whose slot it gives back; null where it has none. */
  readonly account: string | null;
}

/** The effect of storing ends of sessions. */
export interface SessionEndsResult {
  /** The sessions whose end was stored. */
  readonly ended: ReadonlySet<string>;
  /** Of the users whose slots were given back, those who have a session that waits for one. */
  readonly waiting: ReadonlySet<string>;
}

/** The revision that the pipeline makes; people make the others. */
const FIRST_REVISION = 1;

/** The numbers and lists of an end as columns, with whose it is. */
function endRow({ sessionId, owner, findings }: NewSessionEnd) {
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

/** The events that record the end of a session, after its last steps. */
function endEvents({ findings: { verdict } }: NewSessionEnd): ProgressEvent[] {
  const completed = statusChanged('completed');
  return verdict === null ? [completed] : [verdictReached(verdict, FIRST_REVISION), completed];
}

// The slots before the sessions, as everywhere: otherwise two changes could wait for each other. Who waits is looked for by a
// function, since it sees what was committed while the locks were waited for.
const storeEnds = prepareStatement<{ ended: string[]; waiting: string[] }>(`
  with slots as materialized (select analysis_lock_slots($2::text[]) as locked),
  locked as (
    select session_id, status, owner from analysis_session
    where session_id = any($3::uuid[]) and (select locked from slots)
    order by session_id for no key update),
  changed as (
    update analysis_session as session set
      status = 'completed', risk_score = new.risk_score, risk_category = new.risk_category, risk_level = new.risk_level,
      confidence = new.confidence, confidence_level = new.confidence_level, topic = new.topic, summary = new.summary,
      lease_until = null, owner = null, completed_at = now(),
      total_duration_ms = least(2147483647, extract(epoch from now() - session.created_at) * 1000)::integer
    from locked join jsonb_to_recordset($1::jsonb) as new (
      session_id uuid, owner text, risk_score float8, risk_category text, risk_level text, confidence float8,
      confidence_level text, topic text, summary jsonb) on new.session_id = locked.session_id
    where session.session_id = locked.session_id and locked.status = any($4::text[])
      and locked.owner is not distinct from new.owner
    returning session.session_id),
  stored as (
    insert into analysis_checkpoint (session_id, step, input_hash, config_version, version, content)
    select new.session_id, new.step, input_hash, config_version, ${CHECKPOINT_VERSION}, content
    from changed join jsonb_to_recordset($5::jsonb)
      as new (session_id uuid, step text, input_hash text, config_version text, content jsonb)
      on new.session_id = changed.session_id
    on conflict (session_id, step) do nothing returning session_id, step),
  released_locks as (delete from analysis_step_hold where session_id in (select session_id from changed)),
  announced as (
    insert into analysis_progress (session_id, event, data)
    select new.session_id, event, data
    from changed join jsonb_to_recordset($6::jsonb)
      as new (session_id uuid, place integer, event text, data jsonb, step text) on new.session_id = changed.session_id
    where step is null or (new.session_id, step) in (select session_id, step from stored)
    order by place)
  select array(select session_id from changed) as ended,
    array(select analysis_users_waiting($2::text[], (select count(*) from changed))) as waiting`);

/**
 * Stores the ends of sessions, the numbers that lists show and the last checkpoints, in one statement, and returns which users wait for
 * the slots that become free. Of a session that was cancelled or ended before nothing is stored.
 */
export async function completeSessions(
  queries: Queries,
  all: readonly NewSessionEnd[],
): Promise<SessionEndsResult> {
  const withEvents = all.map((end) => ({ ...end, progress: [...end.progress, ...endEvents(end)] }));
  const accounts = all.flatMap(({ account }) => (account === null ? [] : [account]));
  const [row] = await storeEnds(queries, [
    storableJson(all.map(endRow)),
    accounts,
    all.map(({ sessionId }) => sessionId),
    statusesBefore('verdict_stored'),
    storableJson(checkpointRows(all)),
    storableJson(eventRows(eventsToStore(withEvents))),
  ]);
  return { ended: new Set(row?.ended), waiting: new Set(row?.waiting) };
}
