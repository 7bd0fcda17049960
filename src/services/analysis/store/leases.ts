import { type RawBuilder, sql } from 'kysely';
import type { SessionStatus } from '../resources/analysis-session.ts';
import { statusChanged } from '../session/progress-event.ts';
import { insertedEvents } from './progress-events.ts';
import type { Queries } from './tables.ts';

/** When a lease taken now ends, by the clock of the database: those of several machines may differ. */
export function leaseExpiry(leaseMs: number): RawBuilder<Date> {
  return sql<Date>`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;
}

/** Prolongs the leases of sessions that run in this process; what it no longer works on is left to others. */
export async function renewLeases(
  queries: Queries,
  owner: string,
  sessionIds: readonly string[],
  leaseMs: number,
): Promise<void> {
  if (sessionIds.length === 0) return;
  await queries
    .updateTable('analysis_session')
    .set({ lease_until: leaseExpiry(leaseMs) })
    .where('session_id', 'in', [...sessionIds])
    .where('owner', '=', owner)
    .where('status', '=', 'running')
    .execute();
}

/**
 * Takes sessions whose process is gone back to processing, and names them: those whose lease is over, or would be by
 * the given time.
 */
export async function takeOverExpiredLeases(queries: Queries, by: Date | null): Promise<string[]> {
  const change = queries
    .updateTable('analysis_session')
    .set({ status: 'processing', owner: null, lease_until: null })
    .where('status', '=', 'running')
    .where('lease_until', '<', sql<Date>`greatest(now(), ${by}::timestamptz)`)
    .returning('session_id');
  const announced = insertedEvents('changed', [{ event: statusChanged('processing') }]);
  const { rows } = await sql<{ session_id: string }>`
    with changed as (${change}), announced as (${announced}) select session_id from changed`.execute(queries);
  return rows.map(({ session_id }) => session_id);
}

/** Names the locks of users' slots among the advisory locks of the database. */
const SLOTS_LOCK = 0x736c6f74;

/** Makes decisions about the slots of users wait for each other, in all processes, until the transaction ends. */
export async function lockSlots(transaction: Queries, accounts: readonly string[]): Promise<void> {
  // In one order, so that two transactions never wait for each other.
  await sql`
    select pg_advisory_xact_lock(${SLOTS_LOCK}, hash) from (
      select distinct hashtext(account) as hash from unnest(${[...accounts]}::text[]) as account order by hash) as locks`.execute(
    transaction,
  );
}

/** Waits for the decisions about the slots of users that are under way. */
export async function waitForSlots(queries: Queries, accounts: readonly string[]): Promise<void> {
  // Outside a transaction the locks are given back with the end of the statement.
  await lockSlots(queries, accounts);
}

/** The sessions of a user that have not ended. */
export interface OpenSessions {
  /** Those that were accepted; not those that run in their request: waiting sessions are not notified when these end. */
  readonly open: number;
  /** Those that wait for a slot. */
  readonly pending: number;
}

/** How many sessions of users have not ended, in the order of the users. */
export async function countSessions(queries: Queries, accounts: readonly string[]): Promise<OpenSessions[]> {
  const { rows } = await sql<OpenSessions & { account: string }>`
    select account, count(*) filter (where status = 'pending') as pending,
      count(*) filter (where status <> 'pending' and owner is null) as open
    from analysis_session
    where account = any(${[...accounts]}::text[]) and status in ('pending', 'processing', 'running')
    group by account`.execute(queries);
  const counts = new Map(rows.map((row) => [row.account, row]));
  return accounts.map((account) => counts.get(account) ?? { open: 0, pending: 0 });
}

/** How many sessions of one user have not ended. */
export async function countSessionsOf(queries: Queries, account: string): Promise<OpenSessions> {
  const [counts = { open: 0, pending: 0 }] = await countSessions(queries, [account]);
  return counts;
}

/** Which of these users have a session that waits for a slot. */
export async function usersWaiting(queries: Queries, accounts: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`
    select distinct account from analysis_session
    where account = any(${[...accounts]}::text[]) and status = 'pending'`.execute(queries);
  return rows.map(({ account }) => account);
}

/** Users with waiting sessions although they use fewer than `slots` slots. */
export async function usersWithFreeSlots(queries: Queries, slots: number, limit: number): Promise<string[]> {
  const rows = await queries
    .selectFrom('analysis_session')
    .select('account')
    .where('status', 'in', ['pending', 'processing', 'running'] satisfies SessionStatus[])
    .groupBy('account')
    .having(sql<boolean>`count(*) filter (where status = 'pending') > 0`)
    .having(sql<boolean>`count(*) filter (where status <> 'pending' and owner is null) < ${slots}`)
    .limit(limit)
    .execute();
  return rows.map(({ account }) => account);
}

/** The user's session that has waited longest for a slot. */
export async function oldestPending(queries: Queries, account: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom('analysis_session')
    .select('session_id')
    .where('account', '=', account)
    .where('status', '=', 'pending')
    .orderBy('created_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row?.session_id;
}

/** How many of the user's waiting sessions stand before this one, plus one. */
export async function queuePosition(queries: Queries, account: string, createdAt: Date): Promise<number> {
  const row = await queries
    .selectFrom('analysis_session')
    .select(({ fn }) => fn.countAll<number>().as('ahead'))
    .where('account', '=', account)
    .where('status', '=', 'pending')
    .where('created_at', '<', createdAt)
    .executeTakeFirstOrThrow();
  return Number(row.ahead) + 1;
}

/** Which of these sessions were canceled or deleted. */
export async function filterCanceled(queries: Queries, sessionIds: readonly string[]): Promise<string[]> {
  if (sessionIds.length === 0) return [];
  const rows = await queries
    .selectFrom('analysis_session')
    .select('session_id')
    .where('session_id', 'in', [...sessionIds])
    .where((where) => where.or([where('status', '=', 'canceled'), where('deleted_at', 'is not', null)]))
    .execute();
  return rows.map(({ session_id }) => session_id);
}

/** Submissions of the same content by others in the last 72 hours. */
export async function countSightings(
  queries: Queries,
  submission: { readonly inputHash: string; readonly account: string },
): Promise<number> {
  const row = await queries
    .selectFrom('analysis_session')
    .select(({ fn }) => fn.count<number>('account').distinct().as('others'))
    .where('input_hash', '=', submission.inputHash)
    .where('account', '!=', submission.account)
    .where('created_at', '>', sql<Date>`now() - interval '72 hours'`)
    .executeTakeFirstOrThrow();
  return Number(row.others);
}

/** How many sessions have not ended, by status. */
export async function countOpenByStatus(queries: Queries): Promise<Record<string, number>> {
  const rows = await queries
    .selectFrom('analysis_session')
    .select(['status', ({ fn }) => fn.countAll<number>().as('total')])
    .where('status', 'in', ['pending', 'processing', 'running'])
    .groupBy('status')
    .execute();
  return {
    pending: 0,
    processing: 0,
    running: 0,
    ...Object.fromEntries(rows.map((row) => [row.status, row.total])),
  };
}
