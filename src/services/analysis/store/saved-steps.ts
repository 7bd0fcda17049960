import { type PreparedStatement, prepareStatement } from '../../../foundation/database/prepared-statement.ts';
import { storableJson } from '../../../foundation/database/storable.ts';
import type { Publication, PublishableMessage } from '../broker/broker.ts';
import { CHECKPOINT_VERSION } from '../session/checkpoint.ts';
import type { StepName } from '../session/plan.ts';
import { checkpointRows, eventsToStore, type NewCheckpoint, type StoredStep } from './checkpoints.ts';
import { eventRows } from './progress-events.ts';
import type { Queries } from './tables.ts';

/** A step that has ended, with the message that says so. */
export interface SavedStep {
  readonly sessionId: string;
  readonly row: NewCheckpoint;
  /** The run that holds the step; null for one that was given up. */
  readonly holder: string | null;
  readonly message: PublishableMessage & { readonly body: object };
  /** The steps that rest on it, each with all that it rests on. */
  readonly dependents: readonly { readonly name: StepName; readonly needs: readonly StepName[] }[];
}

/** What a statement has stored and published. */
export interface SavedSteps {
  readonly stored: readonly StoredStep[];
  /** For the broker, once it is committed. */
  readonly published: readonly unknown[];
}

// What has ended is looked up by a function, since it sees what was committed while the sessions' locks were waited for: of steps
// that end together the last one, and no other, sees all of them. A message is published where its step frees another that none
// before it has freed, and names those; or where a stored checkpoint cannot be used, and then it names none.
const statementFor = (publishing: string) => `
  with given as (
    select * from jsonb_to_recordset($1::jsonb) as given (session_id uuid, step text, holder uuid, input_hash text,
      config_version text, content jsonb, place integer, message_id uuid, queue text, priority smallint, body jsonb,
      dependents jsonb)),
  locked as (
    select session_id, status from analysis_session
    where session_id = any($2::uuid[]) and deleted_at is null order by session_id for no key update),
  new as (select given.* from locked join given using (session_id)),
  held as (
    update analysis_step_hold as hold set stored = true from new
    where hold.session_id = new.session_id and hold.step = new.step
      and (new.holder is null or hold.holder = new.holder) returning hold.session_id, hold.step),
  stored as (
    insert into analysis_checkpoint (session_id, step, input_hash, config_version, version, content)
    select session_id, step, input_hash, config_version, ${CHECKPOINT_VERSION}, content from new
    where holder is null or (session_id, step) in (select session_id, step from held)
    on conflict (session_id, step) do nothing returning session_id, step),
  announced as (
    insert into analysis_progress (session_id, event, data)
    select new_event.session_id, event, data
    from locked join jsonb_to_recordset($3::jsonb)
      as new_event (session_id uuid, place integer, event text, data jsonb, step text) on new_event.session_id = locked.session_id
    where locked.status in ('pending', 'processing', 'running')
      and (new_event.session_id, new_event.step) in (select session_id, step from stored)
    order by place),
  fresh as (select new.* from new join stored using (session_id, step)),
  ended as (
    select head.session_id, jsonb_agg(head.step) filter (where usable) as done, bool_and(usable) as whole
    from analysis_ended_steps(array(select session_id from stored)) as head
      join (select distinct session_id, input_hash from fresh) as owner on owner.session_id = head.session_id,
      lateral (select head.version = ${CHECKPOINT_VERSION} and head.input_hash = owner.input_hash as usable) as judged
    group by head.session_id),
  freed as (
    select place, name, row_number() over (partition by session_id, name order by place) as nth
    from fresh join ended using (session_id),
      jsonb_to_recordset(dependents || '[{"name": null, "needs": []}]') as dependent (name text, needs jsonb)
    where case when name is null then not whole else needs <@ done and not done ? name end),
  news as (
    select place, jsonb_agg(name) filter (where name is not null) as freed, bool_or(name is null) as broken
    from freed where nth = 1 group by place),
  wanted as (
    select place, message_id, queue, priority,
      (case when broken then body else body || jsonb_build_object('freed', freed) end)::text as text, $4::integer as held_ms
    from news join fresh using (place)),
  ${publishing}
  select (select coalesce(jsonb_agg(stored), '[]') from stored) as stored,
    (select coalesce(json_agg(published), '[]') from published) as published`;

/**
 * Makes the statement that stores steps with their events and publishes which of them lead on. A checkpoint that is there stays, so
 * that a second delivery changes nothing. The sessions are locked meanwhile, in one order: a removal finds all that was stored, a
 * removed session gets nothing more, and a resume sees a step either as ended or as still to be published. Of a step that runs
 * from a queue only its holder stores the result.
 */
export function createStepSaving(publication: Publication) {
  const statement: PreparedStatement<SavedSteps> = prepareStatement(statementFor(publication.parts));
  return async (queries: Queries, all: readonly SavedStep[]): Promise<SavedSteps> => {
    const progress = all.map(({ sessionId, row, holder }) => ({ sessionId, progress: [row], holder }));
    const rows = checkpointRows(progress).map((row, place) => {
      return { ...row, place, ...all[place]?.message, dependents: all[place]?.dependents ?? [] };
    });
    const [saved] = await statement(queries, [
      storableJson(rows),
      all.map(({ sessionId }) => sessionId),
      storableJson(eventRows(eventsToStore(progress))),
      publication.holdMs(),
    ]);
    return saved ?? { stored: [], published: [] };
  };
}
