import { type Kysely, sql } from 'kysely';
import { storableText } from '../../../foundation/database/storable.ts';
import { type OutgoingMessage, type Priority, RETURNED_TO_QUEUE } from './broker.ts';

/** The CHANNEL on which processes notify each other of a queue that got a message. */
export const CHANNEL = 'limpede_broker';

const DEFAULT_PRIORITY: Priority = 5;

/** The owner's migrations of the message table. */
export const migrations: Record<string, string> = {
  '0001_messages': `
    create table broker_message (
      id bigint generated always as identity primary key,
      queue text not null,
      priority smallint not null check (priority between 1 and 10),
      -- json, not jsonb: it keeps every text that JSON can carry, U+0000 too.
      body json not null,
      published_at timestamptz not null default clock_timestamp(),
      -- Deliveries so far.
      attempts smallint not null default 0,
      error text,
      -- Not to be delivered before; null: now. Holds the end of a lease, or of the pause before another attempt.
      hidden_until timestamptz,
      -- One value for each delivery; null: in nobody's hands.
      lease uuid,
      -- The attempts that a dead letter had; null on all others.
      dead_after smallint
    ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
    create index broker_message_next on broker_message (queue, priority desc, id) where hidden_until is null;
    create index broker_message_hidden on broker_message (hidden_until) where hidden_until is not null;`,
};

/** A message that this process holds. */
export interface MessageLease {
  readonly id: number;
  readonly lease: string;
}

/** A message as it was claimed. */
export interface ClaimedMessage extends MessageLease {
  readonly queue: string;
  readonly body: unknown;
  readonly priority: Priority;
  readonly attempts: number;
  /** Milliseconds since it was published. */
  readonly waited_ms: number;
  readonly error: string | null;
  readonly dead_after: number | null;
}

type Queries = Kysely<unknown>;

/** Stores messages in their order and notifies the listeners of the CHANNEL when they are committed. */
export async function insertMessages<Tables>(
  queries: Kysely<Tables>,
  messages: readonly OutgoingMessage[],
): Promise<void> {
  const rows = messages.map(({ queue, body, priority = DEFAULT_PRIORITY }) => {
    return sql`(${queue}, ${priority}, ${JSON.stringify(body) ?? 'null'}::json)`;
  });
  await sql`
    with stored as (insert into broker_message (queue, priority, body) values ${sql.join(rows)} returning queue)
    select pg_notify(${CHANNEL}, queue) from (select distinct queue from stored) as queues`.execute(queries);
}

/** The parts of a statement that publish the rows of its part `wanted`, as a broker's publication does. */
export const PUBLISH_SQL = `
  stored_messages as (
    insert into broker_message (queue, priority, body)
    select queue, priority, text::json from wanted order by place returning queue),
  published as (select pg_notify('${CHANNEL}', queue) from (select distinct queue from stored_messages) as queues)`;

/** Takes up to `limit` messages of priority `upTo` or lower in the order of delivery. */
export async function claim(
  queries: Queries,
  queue: string,
  limit: number,
  { leaseMs, upTo = 10 }: { readonly leaseMs: number; readonly upTo?: Priority | undefined },
): Promise<ClaimedMessage[]> {
  // "= any(array(...))" runs the inner query once; as a join it could run again and take more than the limit.
  const { rows } = await sql<ClaimedMessage>`
    update broker_message
    set attempts = attempts + 1, lease = gen_random_uuid(), hidden_until = ${after(leaseMs)}
    where id = any(array(
      select id from broker_message where queue = ${queue} and hidden_until is null and priority <= ${upTo}
      order by priority desc, id limit ${limit} for update skip locked))
    returning id, queue, body, priority, attempts, error, lease, dead_after,
      (extract(epoch from clock_timestamp() - published_at) * 1000)::float8 as waited_ms`.execute(queries);
  return rows.sort((a, b) => b.priority - a.priority || a.id - b.id);
}

/** Removes messages that were worked off; the result holds the leases that still were valid. */
export async function remove(queries: Queries, held: readonly MessageLease[]): Promise<Set<string>> {
  const { rows } = await sql<MessageLease>`
    delete from broker_message m using ${list(held)} where m.id = held.id and m.lease = held.lease
    returning m.lease`.execute(queries);
  return new Set(rows.map(({ lease }) => lease));
}

/** Makes leases longer; the result holds those that still were valid. */
export async function renew(
  queries: Queries,
  held: readonly MessageLease[],
  leaseMs: number,
): Promise<Set<string>> {
  const { rows } = await sql<MessageLease>`
    update broker_message m set hidden_until = ${after(leaseMs)} from ${list(held)}
    where m.id = held.id and m.lease = held.lease
    returning m.lease`.execute(queries);
  return new Set(rows.map(({ lease }) => lease));
}

/** Puts a message back for another attempt after a pause. */
export async function retry(
  queries: Queries,
  held: MessageLease,
  error: string | null,
  pauseMs: number,
): Promise<void> {
  await sql`
    update broker_message set lease = null, hidden_until = ${after(pauseMs)}, error = ${error === null ? null : storableText(error)}
    where id = ${held.id} and lease = ${held.lease}`.execute(queries);
}

/** Moves a message to the dead-letter queue. */
export async function deadLetter(queries: Queries, held: MessageLease, error: string): Promise<void> {
  await sql`
    with dead as (
      update broker_message set queue = queue || '.dead', dead_after = attempts, attempts = 0,
        lease = null, hidden_until = null, error = ${storableText(error)}
      where id = ${held.id} and lease = ${held.lease} returning queue)
    select pg_notify(${CHANNEL}, queue) from dead`.execute(queries);
}

/** Puts messages back as if they had not been delivered. */
export async function returnMessages(queries: Queries, held: readonly MessageLease[]): Promise<void> {
  await sql`
    with back as (
      update broker_message m set lease = null, hidden_until = null, attempts = attempts - 1,
        error = case when dead_after is null then coalesce(error, ${RETURNED_TO_QUEUE}) else error end from ${list(held)}
      where m.id = held.id and m.lease = held.lease returning m.queue)
    select pg_notify(${CHANNEL}, queue) from (select distinct queue from back) as queues`.execute(queries);
}

/** Ends every lease: right when no other process can hold one. */
export async function endLeases(queries: Queries): Promise<void> {
  await sql`update broker_message set hidden_until = clock_timestamp() where lease is not null`.execute(
    queries,
  );
}

/**
 * Makes messages available again whose pause or lease is over. A lease that ran out counts as a failed attempt; after
 * the last one the message goes to the dead-letter queue. The result names those.
 */
export async function releaseMessages(
  queries: Queries,
  maxAttempts: number,
): Promise<{ id: number; queue: string }[]> {
  const { rows } = await sql<{ id: number; queue: string; dead: boolean; notified: unknown }>`
    with over as (
      select id, lease is not null and dead_after is null and attempts >= ${maxAttempts} as dead
      from broker_message where hidden_until <= clock_timestamp() for update skip locked),
    freed as (
      update broker_message m set lease = null, hidden_until = null,
        queue = case when dead then queue || '.dead' else queue end,
        dead_after = case when dead then attempts else dead_after end,
        attempts = case when dead then 0 else attempts end,
        error = case when dead then null else error end
      from over where m.id = over.id returning m.id, m.queue, over.dead)
    select id, queue, dead, pg_notify(${CHANNEL}, queue) as notified from freed`.execute(queries);
  return rows.filter(({ dead }) => dead);
}

/** What each queue holds. */
export async function countByQueue(
  queries: Queries,
): Promise<{ queue: string; depth: number; oldest_age_ms: number | null; in_flight: number }[]> {
  const { rows } = await sql<{
    queue: string;
    depth: number;
    oldest_age_ms: number | null;
    in_flight: number;
  }>`
    select queue, count(*) filter (where lease is null) as depth, count(lease) as in_flight,
      round(extract(epoch from clock_timestamp() - min(published_at) filter (where lease is null)) * 1000)::float8
        as oldest_age_ms
    from broker_message group by queue order by queue`.execute(queries);
  return rows;
}

function after(milliseconds: number) {
  return sql`clock_timestamp() + ${milliseconds} * interval '1 millisecond'`;
}

function list(held: readonly MessageLease[]) {
  const ids = held.map(({ id }) => id);
  const leases = held.map(({ lease }) => lease);
  return sql`unnest(${ids}::bigint[], ${leases}::uuid[]) as held (id, lease)`;
}
