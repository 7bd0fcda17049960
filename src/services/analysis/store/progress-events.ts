import { type RawBuilder, sql } from 'kysely';
import { storableJson } from '../../../foundation/database/storable.ts';
import type { SessionStatus } from '../resources/analysis-session.ts';
import type { RunningStage } from '../resources/work-stage.ts';
import { type ProgressEvent, progressEvent } from '../session/progress-event.ts';
import { isFinal } from '../session/states.ts';
import type { Queries } from './tables.ts';

/** An event to be stored; with a step, only when the checkpoint of that step is. */
export interface NewProgressEvent {
  readonly event: ProgressEvent;
  /** Whose event it is; without it, that of every session which the statement has changed. */
  readonly sessionId?: string;
  readonly step?: string;
}

/** Events as rows of a statement, with their order. */
export function eventRows(events: readonly NewProgressEvent[]) {
  return events.map(({ event, sessionId, step }, place) => ({
    ...event,
    session_id: sessionId,
    step,
    place,
  }));
}

/**
 * The insertion of events, in their order, for the sessions that a part of the same statement (`source`, a common table
 * expression with `session_id`) has changed and thereby locked: so their ids rise in the order in which they are committed,
 * and no reader passes over one. `stored` is the part that returns the sessions and steps whose checkpoints were stored.
 */
export function insertedEvents(
  source: 'session' | 'changed',
  events: readonly NewProgressEvent[],
  stored?: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const rows = events.map(({ event, sessionId, step }) => ({ ...event, session_id: sessionId, step }));
  const entries = sql`jsonb_to_recordset(${storableJson(rows)}::jsonb)
    as (session_id uuid, event text, data jsonb, step text)`;
  const mine = events.some(({ sessionId }) => sessionId !== undefined)
    ? sql`new_event.session_id = ${sql.ref(source)}.session_id`
    : sql`true`;
  const wanted =
    stored === undefined
      ? sql`true`
      : sql`(new_event.step is null or (${sql.ref(source)}.session_id, new_event.step) in (select session_id, step from ${stored}))`;
  return sql`
    insert into analysis_progress (session_id, event, data)
    select ${sql.ref(source)}.session_id, new_event.event, new_event.data
    from ${sql.table(source)}, rows from (${entries}) with ordinality as new_event (session_id, event, data, step, place)
    where ${mine} and ${wanted} order by new_event.place`;
}

/** Stores events of a session that is under way; one that has ended gets no more. */
export async function insertEvents(
  queries: Queries,
  sessionId: string,
  events: readonly ProgressEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await sql`
    with session as (${lockActiveSessions([sessionId])})
    ${insertedEvents(
      'session',
      events.map((event) => ({ event })),
    )}`.execute(queries);
}

/** Locks sessions until the end of the transaction, in one order, with their status; no row for one that has ended. */
export function lockActiveSessions(sessionIds: readonly string[]): RawBuilder<unknown> {
  return sql`
    select session_id, status from analysis_session
    where session_id = any(${[...sessionIds]}::uuid[]) and deleted_at is null
      and status in ('pending', 'processing', 'running')
    order by session_id for no key update`;
}

/** The last stage that each step of a session began. */
export async function runningStages(queries: Queries, sessionId: string): Promise<RunningStage[]> {
  const { rows } = await sql<{ data: unknown; created_at: Date }>`
    select distinct on (data->>'component') data, created_at from analysis_progress
    where session_id = ${sessionId} and event = 'stage.started'
    order by data->>'component', event_id desc`.execute(queries);
  return rows.flatMap(({ data, created_at }) => {
    const parsed = progressEvent.parse({ event: 'stage.started', data });
    return parsed.event === 'stage.started' ? [{ ...parsed.data, started_at: created_at.toISOString() }] : [];
  });
}

/** A stored event. */
export interface StoredProgressEvent {
  /** Rises within a session. */
  readonly id: number;
  readonly at: Date;
  readonly event: ProgressEvent;
}

/** The events of a session after one of them, and whether the session ends with the last of these. */
export interface ProgressPage {
  readonly events: readonly StoredProgressEvent[];
  readonly isLast: boolean;
}

/** Events that one look reads. */
const PAGE = 500;

interface Row {
  readonly status: SessionStatus;
  readonly deleted: boolean;
  readonly event_id: string | null;
  readonly event: string;
  readonly data: unknown;
  readonly created_at: Date;
}

/** Reads the events after one, and the status, in one consistent read. A deleted session has ended. */
export async function readProgress(
  queries: Queries,
  sessionId: string,
  after: number,
): Promise<ProgressPage> {
  const { rows } = await sql<Row>`
    select status, deleted_at is not null as deleted, progress.*
    from analysis_session left join lateral (
      select event_id::text, event, data, created_at from analysis_progress
      where analysis_progress.session_id = analysis_session.session_id and event_id > ${after}
      order by event_id limit ${PAGE}
    ) as progress on true
    where analysis_session.session_id = ${sessionId} order by event_id::bigint`.execute(queries);
  const [first] = rows;
  if (first === undefined || first.deleted) return { events: [], isLast: true };
  const events = rows
    .filter(({ event_id }) => event_id !== null)
    .map(({ event_id, event, data, created_at }) => ({
      id: Number(event_id),
      at: created_at,
      event: progressEvent.parse({ event, data }),
    }));
  return { events, isLast: events.length < PAGE && isFinal(first.status) };
}

/** The newest event of each of some sessions; those that were deleted are not there. */
export async function newestEvents(
  queries: Queries,
  sessionIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ session_id: string; newest: string }>`
    select session_id, max(event_id)::text as newest from analysis_progress
    where session_id = any(${sessionIds}::uuid[]) group by session_id`.execute(queries);
  return new Map(rows.map(({ session_id, newest }) => [session_id, Number(newest)]));
}
