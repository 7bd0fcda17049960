import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { storableText } from '../../../../foundation/database/storable.ts';
import type { OutgoingMessage, Priority } from '../broker.ts';

const DEFAULT_PRIORITY: Priority = 5;

/** The migrations of the outbox. */
export const migrations: Record<string, string> = {
  '0001_outbox': `
    create table broker_outbox (
      id bigint generated always as identity primary key,
      -- Names the message through all its attempts.
      message_id uuid not null default gen_random_uuid(),
      queue text not null,
      priority smallint not null check (priority between 1 and 10),
      -- json, not jsonb: it keeps every text that JSON can carry, U+0000 too.
      body json not null,
      published_at timestamptz not null default clock_timestamp(),
      -- Attempts so far, and what the last one died of.
      attempts smallint not null default 0,
      error text,
      -- The attempts that a dead letter had; null on all others.
      dead_after smallint,
      -- Not to be sent before.
      due_at timestamptz not null default clock_timestamp()
    ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
    create index broker_outbox_due on broker_outbox (due_at);
    -- Deliveries that were lost with their process.
    create table broker_loss (
      message_id uuid primary key,
      losses smallint not null,
      at timestamptz not null default clock_timestamp()
    );
    create table broker_queue (queue text primary key);
    -- How many messages each process works on.
    create table broker_work (
      owner uuid not null,
      queue text not null,
      in_flight integer not null,
      seen_at timestamptz not null,
      primary key (owner, queue)
    );`,
};

/** What is known of a message that was sent through RabbitMQ. */
export interface MessageHead {
  readonly message_id: string;
  readonly queue: string;
  readonly priority: Priority;
  /** When it was published, in milliseconds since 1970; null where it is unknown. */
  readonly published_at: number | null;
  readonly attempts: number;
  readonly error: string | null;
  readonly dead_after: number | null;
}

/** A message that was delivered. */
export interface DeliveredMessage extends MessageHead {
  readonly body: unknown;
}

/** A message that is to be sent. */
export interface NewMessage extends MessageHead {
  /** The body as JSON. */
  readonly text: string;
}

/** A message in the outbox. */
export interface OutboxRow extends NewMessage {
  readonly id: number;
}

/** What is published now. */
export function newMessages(messages: readonly OutgoingMessage[]): NewMessage[] {
  const facts = { published_at: Date.now(), attempts: 0, error: null, dead_after: null };
  return messages.map(({ queue, body = null, priority = DEFAULT_PRIORITY }) => {
    return { message_id: randomUUID(), queue, priority, text: JSON.stringify(body), ...facts };
  });
}

type Queries<Tables = unknown> = Kysely<Tables>;

/**
 * Stores new messages. For `heldMs` milliseconds the relays leave them to the process that stored them: it sends them itself
 * after its transaction, unless it dies before. The database notifies no process: on PostgreSQL transactions that notify wait
 * for each other until they are on disk.
 */
export async function insertIntoOutbox<Tables>(
  queries: Queries<Tables>,
  messages: readonly OutgoingMessage[],
  heldMs: number,
): Promise<OutboxRow[]> {
  const all = newMessages(messages);
  const { rows } = await sql<Pick<OutboxRow, 'id' | 'message_id'>>`
    insert into broker_outbox (message_id, queue, priority, body, due_at)
    select message_id, queue, priority, text::json, clock_timestamp() + ${heldMs} * interval '1 millisecond'
    from json_to_recordset(${JSON.stringify(all)}::json) as new (message_id uuid, queue text, priority smallint, text text)
    returning id, message_id`.execute(queries);
  const ids = new Map(rows.map(({ id, message_id }) => [message_id, id]));
  return all.map((one) => ({ ...one, id: ids.get(one.message_id) ?? 0 }));
}

/** The parts of a statement that publish the rows of its part `wanted`, as a broker's publication does. */
export const PUBLISH_TO_OUTBOX_SQL = `
  published as (
    insert into broker_outbox (message_id, queue, priority, body, due_at)
    select message_id, queue, priority, text::json, clock_timestamp() + held_ms * interval '1 millisecond'
    from wanted order by place
    returning id, message_id, queue, priority, body::text as text, due_at > clock_timestamp() as held)`;

/** The rows from `published` that this process sends itself, because relays leave them alone for now. */
export function reservedRows(published: readonly unknown[]): OutboxRow[] {
  const facts = { published_at: Date.now(), attempts: 0, error: null, dead_after: null };
  const rows = published as readonly (Omit<OutboxRow, keyof typeof facts> & { readonly held: boolean })[];
  return rows.filter(({ held }) => held).map(({ held, ...row }) => ({ ...row, ...facts }));
}

/** Takes messages that RabbitMQ has confirmed out of the outbox. */
export async function removeSent(queries: Queries, ids: readonly number[]): Promise<void> {
  await sql`delete from broker_outbox where id = any(${[...ids]}::bigint[])`.execute(queries);
}

/** Makes messages that this process could not send due at once for the relays. */
export async function releaseToRelays(queries: Queries, ids: readonly number[]): Promise<void> {
  await sql`update broker_outbox set due_at = clock_timestamp() where id = any(${[...ids]}::bigint[])`.execute(
    queries,
  );
}

/** Stores messages that were delivered before, to be sent again after `pauseMs`. */
export async function insertForRetry(
  queries: Queries,
  messages: readonly DeliveredMessage[],
  pauseMs: number,
): Promise<void> {
  const rows = messages.map(
    ({ message_id, queue, priority, body, attempts, error, dead_after }) => sql`(
      ${message_id}::uuid, ${queue}, ${priority}, ${JSON.stringify(body) ?? 'null'}::json, ${attempts},
      ${error === null ? null : storableText(error)}, ${dead_after}::smallint,
      clock_timestamp() + ${pauseMs} * interval '1 millisecond')`,
  );
  await sql`
    insert into broker_outbox (message_id, queue, priority, body, attempts, error, dead_after, due_at)
    values ${sql.join(rows)}`.execute(queries);
}

/** Takes messages that are due out of the outbox, in their order; what another transaction takes is passed over. */
export async function claimDueMessages(queries: Queries, limit: number): Promise<OutboxRow[]> {
  const { rows } = await sql<OutboxRow>`
    delete from broker_outbox where id = any(array(
      select id from broker_outbox where due_at <= clock_timestamp() order by id limit ${limit}
      for update skip locked))
    returning id, message_id, queue, priority, body::text as text, attempts, error, dead_after,
      (extract(epoch from published_at) * 1000)::float8 as published_at`.execute(queries);
  return rows.sort((a, b) => a.id - b.id);
}

/** Counts a delivery that was lost with its process; the sum so far. */
export async function countLostDelivery(queries: Queries, messageId: string): Promise<number> {
  return (await addLostDeliveries(queries, [messageId], 1))[0] ?? 1;
}

/** Adds to the losses of messages; -1 forgives the next one, which is due to the connection and not to the process. */
export async function addLostDeliveries(
  queries: Queries,
  messageIds: readonly string[],
  count: 1 | -1,
): Promise<number[]> {
  if (messageIds.length === 0) return [];
  const { rows } = await sql<{ losses: number }>`
    insert into broker_loss as known (message_id, losses)
    select distinct unnest(${[...messageIds]}::uuid[]), ${count}::smallint
    on conflict (message_id) do update set losses = known.losses + ${count}, at = clock_timestamp()
    returning losses`.execute(queries);
  return rows.map(({ losses }) => losses);
}

/** Removes the losses of messages that were processed, and of those that were not delivered for a day. */
export async function deleteLostDeliveries(queries: Queries, messageIds: readonly string[]): Promise<void> {
  await sql`delete from broker_loss
    where message_id = any(${[...messageIds]}::uuid[]) or at < now() - interval '1 day'`.execute(queries);
}

/** Remembers the names of queues, so that every process can ask for their state. */
export async function storeQueueNames(queries: Queries, queues: readonly string[]): Promise<void> {
  await sql`insert into broker_queue select unnest(${[...queues]}::text[]) on conflict do nothing`.execute(
    queries,
  );
}

/** The names of all queues. */
export async function knownQueues(queries: Queries): Promise<string[]> {
  const { rows } = await sql<{ queue: string }>`select queue from broker_queue order by queue`.execute(
    queries,
  );
  return rows.map(({ queue }) => queue);
}

/** What waits in the outbox, by queue. */
export async function countOutbox(
  queries: Queries,
): Promise<{ queue: string; depth: number; oldest_age_ms: number }[]> {
  const { rows } = await sql<{ queue: string; depth: number; oldest_age_ms: number }>`
    select queue, count(*) as depth,
      round(extract(epoch from clock_timestamp() - min(published_at)) * 1000)::float8 as oldest_age_ms
    from broker_outbox group by queue`.execute(queries);
  return rows;
}

/** Records how many messages of each queue this process works on. */
export async function recordInProgress(
  queries: Queries,
  owner: string,
  work: ReadonlyMap<string, number>,
): Promise<void> {
  const queues = [...work.keys()];
  await sql`
    insert into broker_work (owner, queue, in_flight, seen_at)
    select ${owner}::uuid, queue, in_flight, clock_timestamp()
    from unnest(${queues}::text[], ${[...work.values()]}::int[]) as work (queue, in_flight)
    on conflict (owner, queue) do update set in_flight = excluded.in_flight, seen_at = excluded.seen_at`.execute(
    queries,
  );
  await sql`delete from broker_work where seen_at < clock_timestamp() - interval '1 minute'`.execute(queries);
}

/** Messages in progress in other processes, by queue, from records of the last `freshMs` milliseconds. */
export async function countInProgressElsewhere(
  queries: Queries,
  owner: string,
  freshMs: number,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ queue: string; in_flight: number }>`
    select queue, sum(in_flight)::int as in_flight from broker_work
    where owner <> ${owner}::uuid and seen_at > clock_timestamp() - ${freshMs} * interval '1 millisecond'
    group by queue`.execute(queries);
  return new Map(rows.map(({ queue, in_flight }) => [queue, in_flight]));
}
