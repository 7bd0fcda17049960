import { sql } from 'kysely';
import type { StepName } from '../session/plan.ts';
import { type ProgressEvent, statusChanged } from '../session/progress-event.ts';
import { insertedEvents, sessionUnderWay } from './progress-events.ts';
import type { Queries } from './tables.ts';

/** How long a delivery may hold a step without an end, in milliseconds: far above the time limit of any step. */
const LONGEST_HOLD_MS = 600_000;

/** Which delivery wants to run which step. */
export interface HoldRequest {
  readonly sessionId: string;
  readonly step: StepName;
  /** Names this run of the step. */
  readonly holder: string;
  /** The message was in other hands before, and those are gone: the step may be taken from them. */
  readonly again: boolean;
  /** A stored result cannot be used and is made anew. */
  readonly replaces: boolean;
}

/** `held`: it is the caller's; `stored`: its result is there, or its session has ended; `busy`: another delivery runs it. */
export type Hold = 'held' | 'stored' | 'busy';

/**
 * Takes a step for one delivery and tells the readers of the session, in one statement. Queues deliver at least once, so a step
 * may be in several hands: one of them runs it, and nobody does once its result is stored. The session is locked, as it
 * is where results are stored, so that one waits for the other.
 */
export async function holdStep(
  queries: Queries,
  { sessionId, step, holder, again, replaces }: HoldRequest,
  events: readonly ProgressEvent[],
): Promise<Hold> {
  const overdue = sql`known.held_at < clock_timestamp() - ${LONGEST_HOLD_MS} * interval '1 millisecond'`;
  const announced = [
    { event: statusChanged('running'), step: 'begun' },
    ...events.map((event) => ({ event })),
  ];
  const { rows } = await sql<{ ours: boolean; stored: boolean | null }>`
    with locked as (${sessionUnderWay(sessionId)}),
    changed as (
      insert into analysis_step_hold as known (session_id, step, holder)
      select session_id, ${step}, ${holder}::uuid from locked
      on conflict (session_id, step) do update
        set holder = excluded.holder, stored = false, held_at = excluded.held_at
        where ${replaces} or (not known.stored and (${again} or ${overdue}))
      returning session_id),
    begun as (
      update analysis_session set status = 'running', started_at = coalesce(started_at, now())
      where session_id in (select session_id from changed) and status = 'processing' returning 'begun' as step),
    announced as (${insertedEvents('changed', announced, sql`begun`)})
    select changed.session_id is not null as ours, known.stored from locked
    left join changed using (session_id)
    left join analysis_step_hold known on known.session_id = locked.session_id and known.step = ${step}`.execute(
    queries,
  );
  const [row] = rows;
  if (row === undefined) return 'stored';
  if (row.ours) return 'held';
  return row.stored === true ? 'stored' : 'busy';
}

/** Gives back a step that came to no result. */
export async function releaseStep(
  queries: Queries,
  { sessionId, step, holder }: Pick<HoldRequest, 'sessionId' | 'step' | 'holder'>,
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
export async function forgetHolds(
  queries: Queries,
  sessionId: string,
  steps?: readonly StepName[],
): Promise<void> {
  if (steps?.length === 0) return;
  let holds = queries.deleteFrom('analysis_step_hold').where('session_id', '=', sessionId);
  if (steps !== undefined) holds = holds.where('step', 'in', [...steps]);
  await holds.execute();
}
