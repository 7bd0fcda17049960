import { type Selectable, sql } from 'kysely';
import { jsonb } from '../../../foundation/database/storable.ts';
import type { EnqueueReason, ModerationStatus, ResolutionAction } from '../resources/moderation.ts';
import type { ModerationRequest } from '../session/moderation-request.ts';
import type { ModerationEntryTable, Queries } from './tables.ts';

/** A stored entry of the moderation queue. */
export type StoredEntry = Selectable<ModerationEntryTable>;

/** Who changes an entry, and what is said about it. */
export interface Actor {
  /** Realm and subject: two people may have the same subject in different realms. */
  readonly account: string;
  /** What others see of the person. */
  readonly name: string;
}

/** The actor of automatic changes. */
export const SYSTEM: Actor = { account: 'system', name: 'system' };

const now = sql<Date>`clock_timestamp()`;
const later = (seconds: number) => sql<Date>`clock_timestamp() + ${seconds} * interval '1 second'`;
/** Whole milliseconds from a moment in a column until now, added to what was counted before. */
const plusSince = (sum: 'time_in_queue_ms' | 'time_in_review_ms', since: 'queued_at' | 'assigned_at') =>
  sql<number>`${sql.ref(sum)} + greatest(0, extract(epoch from clock_timestamp() - ${sql.ref(since)}) * 1000)::bigint`;

/** One row of the log of an entry, as it is written. */
interface NewActivity {
  readonly queueId: number;
  readonly actor: Actor;
  readonly action: string;
  readonly previous: ModerationStatus | null;
  readonly status: ModerationStatus;
  readonly note?: string | null | undefined;
}

/** Adds to the log of an entry, which is only ever added to. */
export async function addActivity(queries: Queries, row: NewActivity): Promise<void> {
  await queries
    .insertInto('moderation_activity')
    .values({
      queue_id: row.queueId,
      actor: row.actor.name,
      action: row.action,
      previous_status: row.previous,
      status: row.status,
      note: row.note ?? null,
    })
    .execute();
}

/** The log of an entry, oldest first. */
export function listActivities(queries: Queries, queueId: number) {
  return queries
    .selectFrom('moderation_activity')
    .selectAll()
    .where('queue_id', '=', queueId)
    .orderBy('activity_id')
    .execute();
}

/**
 * Puts a session into the queue. A session that stands there already keeps its entry: one that waits may become more urgent,
 * one that was closed because its session was canceled waits again.
 */
export async function enqueue(queries: Queries, sessionId: string, wish: ModerationRequest): Promise<void> {
  const meta = { reasons: wish.reasons };
  const row = await queries
    .insertInto('moderation_entry')
    .values({
      session_id: sessionId,
      priority: wish.priority,
      enqueue_reason: wish.reason,
      enqueue_meta: jsonb(meta),
      status: 'pending',
    })
    .onConflict((conflict) => conflict.column('session_id').doNothing())
    .returning('queue_id')
    .executeTakeFirst();
  if (row !== undefined) {
    await addActivity(queries, {
      queueId: row.queue_id,
      actor: SYSTEM,
      action: 'enqueue',
      previous: null,
      status: 'pending',
      note: wish.reason,
    });
    return;
  }
  await queries
    .updateTable('moderation_entry')
    .set({ enqueue_meta: jsonb(meta), priority: sql<number>`least(priority, ${wish.priority})` })
    .where('session_id', '=', sessionId)
    .where('status', 'in', ['pending', 'in_review'])
    .execute();
}

/** An entry by its number. */
export function findEntry(queries: Queries, queueId: number): Promise<StoredEntry | undefined> {
  return queries
    .selectFrom('moderation_entry')
    .selectAll()
    .where('queue_id', '=', queueId)
    .executeTakeFirst();
}

/** An entry by its number, kept from others until the transaction ends. */
export function lockEntry(queries: Queries, queueId: number): Promise<StoredEntry | undefined> {
  return queries
    .selectFrom('moderation_entry')
    .selectAll()
    .where('queue_id', '=', queueId)
    .forUpdate()
    .executeTakeFirst();
}

/** What changes when a pending entry goes to a person. */
const assignment = (actor: Actor, leaseSec: number) => ({
  status: 'in_review' as const,
  assigned_to: actor.name,
  assigned_account: actor.account,
  assigned_at: now,
  lease_until: later(leaseSec),
  time_in_queue_ms: plusSince('time_in_queue_ms', 'queued_at'),
  version: sql<number>`version + 1`,
});

/** Gives a locked, pending entry to a person for so many seconds. */
export function assign(
  queries: Queries,
  queueId: number,
  actor: Actor,
  leaseSec: number,
): Promise<StoredEntry> {
  return queries
    .updateTable('moderation_entry')
    .set(assignment(actor, leaseSec))
    .where('queue_id', '=', queueId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Takes the most urgent pending entry in one statement: of equal ones that which has waited longest. */
export async function assignNext(
  queries: Queries,
  actor: Actor,
  leaseSec: number,
): Promise<StoredEntry | undefined> {
  return queries
    .updateTable('moderation_entry')
    .set(assignment(actor, leaseSec))
    .where('queue_id', '=', (entries) =>
      entries
        .selectFrom('moderation_entry')
        .select('queue_id')
        .where('status', '=', 'pending')
        .orderBy('priority')
        .orderBy('created_at')
        .orderBy('queue_id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Makes the lease of a locked entry end so many seconds from now. */
export function renewLease(queries: Queries, queueId: number, leaseSec: number): Promise<StoredEntry> {
  return queries
    .updateTable('moderation_entry')
    .set({ lease_until: later(leaseSec) })
    .where('queue_id', '=', queueId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Puts a locked entry back into the queue: it is no longer claimed, and its decision no longer counts. */
export function requeueEntry(queries: Queries, entry: StoredEntry): Promise<StoredEntry> {
  return queries
    .updateTable('moderation_entry')
    .set({
      status: 'pending',
      assigned_to: null,
      assigned_account: null,
      assigned_at: null,
      lease_until: null,
      resolved_by: null,
      resolved_at: null,
      resolution_action: null,
      queued_at: now,
      ...(entry.status === 'in_review' && {
        time_in_review_ms: plusSince('time_in_review_ms', 'assigned_at'),
      }),
      version: sql<number>`version + 1`,
    })
    .where('queue_id', '=', entry.queue_id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Ends a locked entry: `action` is null for one that was declined or closed. */
export function endEntry(
  queries: Queries,
  entry: StoredEntry,
  {
    status,
    actor,
    action,
  }: {
    readonly status: ModerationStatus;
    readonly actor: Actor;
    readonly action: ResolutionAction | null;
  },
): Promise<StoredEntry> {
  return queries
    .updateTable('moderation_entry')
    .set({
      status,
      lease_until: null,
      resolved_by: actor.name,
      resolved_at: now,
      resolution_action: action,
      ...(entry.status === 'in_review'
        ? { time_in_review_ms: plusSince('time_in_review_ms', 'assigned_at') }
        : { time_in_queue_ms: plusSince('time_in_queue_ms', 'queued_at') }),
      version: sql<number>`version + 1`,
    })
    .where('queue_id', '=', entry.queue_id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Entries whose holder let the lease run out, kept from others until the transaction ends. */
export function lockExpired(queries: Queries): Promise<StoredEntry[]> {
  return queries
    .selectFrom('moderation_entry')
    .selectAll()
    .where('status', '=', 'in_review')
    .where('lease_until', '<', now)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** Closes the entry of a session that was canceled or deleted, unless a person decided it before. */
export async function closeEntryOf(queries: Queries, sessionId: string, note: string): Promise<void> {
  const entry = await queries
    .selectFrom('moderation_entry')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('status', 'in', ['pending', 'in_review'])
    .forUpdate()
    .executeTakeFirst();
  if (entry === undefined) return;
  const { queue_id: queueId, status } = entry;
  if (status === 'in_review') {
    await requeueEntry(queries, entry);
    await addActivity(queries, {
      queueId,
      actor: SYSTEM,
      action: 'release',
      previous: status,
      status: 'pending',
      note,
    });
  }
  await endEntry(
    queries,
    { ...entry, status: 'pending' },
    { status: 'auto_closed', actor: SYSTEM, action: null },
  );
  await addActivity(queries, {
    queueId,
    actor: SYSTEM,
    action: 'close',
    previous: 'pending',
    status: 'auto_closed',
    note,
  });
}

/** Puts the entry of a canceled session back when the session is resumed. */
export async function reopenEntryOf(queries: Queries, sessionId: string): Promise<void> {
  const entry = await queries
    .selectFrom('moderation_entry')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('status', '=', 'auto_closed')
    .forUpdate()
    .executeTakeFirst();
  if (entry === undefined) return;
  await requeueEntry(queries, entry);
  await addActivity(queries, {
    queueId: entry.queue_id,
    actor: SYSTEM,
    action: 'reopen',
    previous: 'auto_closed',
    status: 'pending',
    note: 'the session was resumed',
  });
}

/** What a list of entries may be asked for. */
export interface EntryFilter {
  readonly status?: ModerationStatus | undefined;
  readonly priority?: number | undefined;
  readonly enqueue_reason?: EnqueueReason | undefined;
  readonly assigned_to?: string | undefined;
  readonly page: number;
  readonly limit: number;
  readonly sort: 'priority' | '-priority' | 'created_at' | '-created_at';
}

/** One page of entries, and how many there are on all pages. */
export async function listEntries(
  queries: Queries,
  filter: EntryFilter,
): Promise<{ items: StoredEntry[]; total: number }> {
  let rows = queries.selectFrom('moderation_entry');
  if (filter.status !== undefined) rows = rows.where('status', '=', filter.status);
  if (filter.priority !== undefined) rows = rows.where('priority', '=', filter.priority);
  if (filter.enqueue_reason !== undefined) rows = rows.where('enqueue_reason', '=', filter.enqueue_reason);
  if (filter.assigned_to !== undefined) rows = rows.where('assigned_to', '=', filter.assigned_to);
  const counted = await rows.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const descending = filter.sort.startsWith('-');
  const column = filter.sort.endsWith('priority') ? 'priority' : 'created_at';
  const items = await rows
    .selectAll()
    .orderBy(column, descending ? 'desc' : 'asc')
    .orderBy('created_at')
    .orderBy('queue_id')
    .limit(filter.limit)
    .offset((filter.page - 1) * filter.limit)
    .execute();
  return { items, total: Number(counted.total) };
}

/** Days that the statistics look back on. */
const STATISTICS_DAYS = 30;

/** What the queue holds and how the reviews of the last 30 days went; times in milliseconds, shares 0 to 1. */
export async function queueStatistics(queries: Queries) {
  const { rows } = await sql<{
    pending: number;
    in_review: number;
    oldest_age_ms: number | null;
    median_review_ms: number | null;
    overturn_rate: number | null;
  }>`
    select count(*) filter (where status = 'pending') as pending,
      count(*) filter (where status = 'in_review') as in_review,
      round(extract(epoch from clock_timestamp() - min(created_at) filter (where status = 'pending')) * 1000)::float8
        as oldest_age_ms,
      percentile_cont(0.5) within group (order by time_in_review_ms)
        filter (where status = 'resolved' and resolved_at > now() - ${STATISTICS_DAYS} * interval '1 day')
        as median_review_ms,
      (count(*) filter (where resolution_action = 'corrected'
          and resolved_at > now() - ${STATISTICS_DAYS} * interval '1 day'))::float8
        / nullif(count(*) filter (where status = 'resolved'
          and resolved_at > now() - ${STATISTICS_DAYS} * interval '1 day'), 0) as overturn_rate
    from moderation_entry`.execute(queries);
  const days = await sql<{ day: string; resolved: number }>`
    select to_char(resolved_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as resolved
    from moderation_entry
    where status = 'resolved' and resolved_at > now() - ${STATISTICS_DAYS} * interval '1 day'
    group by day order by day`.execute(queries);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate has one row');
  return { ...row, resolved_per_day: days.rows };
}
