import { sql } from 'kysely';
import { storableJson } from '../../../foundation/database/storable.ts';
import type { StepName } from '../session/plan.ts';
import { componentStarted, isComponent, statusChanged } from '../session/progress-event.ts';
import { lockActiveSessions } from './progress-events.ts';
import type { Queries } from './tables.ts';

/** How long a delivery may hold a step without an end, in milliseconds: far above the time limit of any step. */
const LONGEST_LOCK_MS = 600_000;

/** Begins the sessions of `locked` of which a step was taken (`changed`): a part of the statements that claim steps. */
export const SESSIONS_BEGUN = `
    update analysis_session as session set status = 'running', started_at = coalesce(started_at, now())
    from locked where session.session_id = locked.session_id and locked.status = 'processing'
      and locked.session_id in (select session_id from changed)
    returning session.session_id`;

/** Stores the events of `announced` in their order: another part of them. */
export const ANNOUNCED_STORED =
  'insert into analysis_progress (session_id, event, data) select session_id, event, data from announced order by place';

/** Which delivery wants to run which step. */
export interface StepLockRequest {
  readonly sessionId: string;
  readonly step: StepName;
  /** Names this run of the step. */
  readonly holder: string;
  /** The message was delivered before, and that process ended: the step may be taken from it. */
  readonly again: boolean;
  /** A stored result cannot be used and is made anew. */
  readonly replaces: boolean;
}

/** `held`: it is the caller's; `stored`: its result is there, or its session has ended; `busy`: another delivery runs it. */
export type StepLockResult = 'held' | 'stored' | 'busy';

/**
 * Claims steps, each for one delivery, and records their start for followers of their sessions, in one statement. Queues deliver at least once, so
 * a step may be delivered several times: one delivery runs it, and none once its result is stored. The sessions are locked, as
 * they are where results are stored, so that one waits for the other. Answers in the order of the requests.
 */
export async function lockSteps(
  queries: Queries,
  requests: readonly StepLockRequest[],
): Promise<StepLockResult[]> {
  const rows = requests.map(({ sessionId, ...request }) => ({ ...request, session_id: sessionId }));
  const running = statusChanged('running');
  const started = requests.flatMap(({ step, holder }) =>
    isComponent(step) ? [{ ...componentStarted(step), holder }] : [],
  );
  const { rows: held } = await sql<{ holder: string; ours: boolean; stored: boolean | null }>`
    with request as (
      select * from jsonb_to_recordset(${storableJson(rows)}::jsonb)
        as request (session_id uuid, step text, holder uuid, again boolean, replaces boolean)),
    locked as (${lockActiveSessions(requests.map(({ sessionId }) => sessionId))}),
    changed as (
      insert into analysis_step_hold as known (session_id, step, holder)
      select session_id, step, holder from request join locked using (session_id)
      on conflict (session_id, step) do update
        set holder = excluded.holder, stored = false, held_at = excluded.held_at
        where excluded.holder in (select holder from request where replaces)
          or not known.stored and (excluded.holder in (select holder from request where again)
            or known.held_at < clock_timestamp() - ${LONGEST_LOCK_MS} * interval '1 millisecond')
      returning session_id, holder),
    begun as (${sql.raw(SESSIONS_BEGUN)}),
    announced (session_id, place, event, data) as (
      select session_id, 0, ${running.event}::text, ${storableJson(running.data)}::jsonb from begun
      union all
      select changed.session_id, 1, event, data
      from changed join jsonb_to_recordset(${storableJson(started)}::jsonb)
        as started (holder uuid, event text, data jsonb) on started.holder = changed.holder),
    stored as (${sql.raw(ANNOUNCED_STORED)})
    select request.holder, changed.holder is not null as ours, known.stored
    from request join locked using (session_id) left join changed on changed.holder = request.holder
    left join analysis_step_hold as known on known.session_id = request.session_id and known.step = request.step`.execute(
    queries,
  );
  const answers = new Map(held.map((row) => [row.holder, row]));
  return requests.map(({ holder }) => {
    const answer = answers.get(holder);
    if (answer?.ours === true) return 'held';
    return answer === undefined || answer.stored === true ? 'stored' : 'busy';
  });
}

/** Releases a step without a result. */
export async function releaseStep(
  queries: Queries,
  { sessionId, step, holder }: Pick<StepLockRequest, 'sessionId' | 'step' | 'holder'>,
): Promise<void> {
  await queries
    .deleteFrom('analysis_step_hold')
    .where('session_id', '=', sessionId)
    .where('step', '=', step)
    .where('holder', '=', holder)
    .where('stored', '=', false)
    .execute();
}

/** Forgets who held which steps of a session, so that they can run again; all its steps unless some are named. */
export async function deleteStepLocks(
  queries: Queries,
  sessionId: string,
  steps?: readonly StepName[],
): Promise<void> {
  if (steps?.length === 0) return;
  let holds = queries.deleteFrom('analysis_step_hold').where('session_id', '=', sessionId);
  if (steps !== undefined) holds = holds.where('step', 'in', [...steps]);
  await holds.execute();
}
