import { type PreparedStatement, prepareStatement } from '../../../foundation/database/prepared-statement.ts';
import { storableJson } from '../../../foundation/database/storable.ts';
import type { Publication, PublishableMessage } from '../broker/broker.ts';
import { CHECKPOINT_VERSION } from '../session/checkpoint.ts';
import { statusChanged } from '../session/progress-event.ts';
import { checkpointRows, eventsToStore } from './checkpoints.ts';
import { eventRows } from './progress-events.ts';
import { type NewSession, newSessionColumns } from './sessions.ts';
import type { Queries } from './tables.ts';

/** A session that is to be accepted for the queues. */
export interface QueuedSessionInput extends Omit<NewSession, 'status' | 'lease' | 'enqueue'> {
  /** How many of its user may be under way; beyond them it waits. */
  readonly slots: number;
  /** The messages of its first steps, published if it need not wait. */
  readonly messages: readonly (PublishableMessage & { readonly text: string })[];
}

/** What a statement has accepted. */
export interface AcceptanceResult {
  /** Those that were stored: not those of whose user the idempotency key is taken. */
  readonly stored: readonly string[];
  /** Those of users of whom too many wait. */
  readonly refused: readonly string[];
  /** For the broker, once it is committed. */
  readonly published: readonly unknown[];
}

const COLUMNS = `session_id, user_id, account, user_email, input_type, input_text, input_url, input_media_url, input_hash,
  input_language, source_app, plan_type, user_flagged, submission, plan, idempotency_key, request_hash, config_version`;

// The sessions of a user are counted by a function that first waits for the user's slots, and then sees what was decided meanwhile.
const statementFor = (publishing: string) => `
  with given as (
    select * from jsonb_to_recordset($1::jsonb) as given (session_id uuid, user_id text, account text, user_email text,
      input_type text, input_text text, input_url text, input_media_url text, media_id uuid, input_hash text,
      input_language text, source_app text, plan_type smallint, user_flagged boolean, submission jsonb, plan jsonb,
      idempotency_key text, request_hash text, config_version bigint, slots integer)),
  counts as materialized (select * from analysis_open_sessions($2::text[])),
  decided as materialized (
    select given.*, coalesce(open, 0) >= slots as waits, coalesce(pending, 0) >= $3::integer as crowded
    from given left join counts using (account)),
  changed as (
    insert into analysis_session (${COLUMNS}, media_id, status)
    select ${COLUMNS},
      -- Read here: it may have gone since the request was checked.
      (select media_id from media_object where media_object.media_id = decided.media_id),
      case when waits then 'pending' else 'processing' end
    from decided where not (waits and crowded)
    on conflict (account, idempotency_key) where idempotency_key is not null do nothing returning session_id, status),
  stored as (
    insert into analysis_checkpoint (session_id, step, input_hash, config_version, version, content)
    select new.session_id, new.step, input_hash, config_version, ${CHECKPOINT_VERSION}, content
    from changed join jsonb_to_recordset($4::jsonb)
      as new (session_id uuid, step text, input_hash text, config_version text, content jsonb)
      on new.session_id = changed.session_id
    on conflict (session_id, step) do nothing),
  announced as (
    insert into analysis_progress (session_id, event, data)
    select new.session_id, event, data
    from changed join jsonb_to_recordset($5::jsonb)
      as new (session_id uuid, place integer, event text, data jsonb) on new.session_id = changed.session_id
    where event <> 'session.status' or data->>'status' = status order by place),
  wanted as (
    select place, message_id, queue, priority, text, $7::integer as held_ms
    from changed join jsonb_to_recordset($6::jsonb)
      as message (session_id uuid, place integer, message_id uuid, queue text, priority smallint, text text)
      on message.session_id = changed.session_id
    where status = 'processing'),
  ${publishing}
  select array(select session_id from changed)::text[] as stored,
    array(select session_id from decided where waits and crowded)::text[] as refused,
    (select coalesce(json_agg(published), '[]') from published) as published`;

/** Makes the statement that accepts sessions of different users, with their first checkpoints, events and messages. */
export function createAcceptance(publication: Publication) {
  const statement: PreparedStatement<AcceptanceResult> = prepareStatement(statementFor(publication.parts));
  return async (
    queries: Queries,
    all: readonly QueuedSessionInput[],
    pendingMax: number,
  ): Promise<AcceptanceResult> => {
    // Which status it gets is decided by the statement, which keeps the event of that one.
    const begun = all.map(({ sessionId, checkpoints }) => ({
      sessionId,
      progress: [statusChanged('pending'), statusChanged('processing'), ...checkpoints],
    }));
    const messages = all.flatMap(({ sessionId, messages: own }) =>
      own.map((message) => ({ ...message, session_id: sessionId })),
    );
    const [accepted] = await statement(queries, [
      storableJson(all.map((one) => ({ ...newSessionColumns(one), slots: one.slots }))),
      all.map(({ submission }) => submission.account),
      pendingMax,
      storableJson(checkpointRows(begun)),
      storableJson(eventRows(eventsToStore(begun))),
      storableJson(messages.map((message, place) => ({ ...message, place }))),
      publication.holdMs(),
    ]);
    return accepted ?? { stored: [], refused: [], published: [] };
  };
}
