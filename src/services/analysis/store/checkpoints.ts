import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { storableJson } from '../../../foundation/database/storable.ts';
import type { Logger } from '../../../foundation/log.ts';
import {
  CHECKPOINT_VERSION,
  type Checkpoint,
  type Checkpoints,
  checkpoint as checkpointSchema,
} from '../session/checkpoint.ts';
import type { StepName } from '../session/plan.ts';
import { type ProgressEvent, stepEnded } from '../session/progress-event.ts';
import { insertedEvents, type NewProgressEvent } from './progress-events.ts';
import type { Queries } from './tables.ts';

/** Whose checkpoints are meant, and what its steps start from. */
export interface CheckpointOwner {
  readonly sessionId: string;
  readonly inputHash: string;
}

/** The same with the text of the session, which its material leaves to the session's own row. */
export interface TextOwner extends CheckpointOwner {
  readonly inputText: string | null;
}

/** The checkpoints of a session as far as they can be used. */
export interface StoredCheckpoints {
  readonly checkpoints: Checkpoints;
  /** Steps whose stored checkpoint cannot be used: of another input or schema version, or unreadable. */
  readonly unusable: readonly StepName[];
  /** The configuration under which each usable checkpoint was made. */
  readonly configVersions: ReadonlyMap<StepName, string>;
}

/** A stored checkpoint. */
export interface CheckpointRow {
  readonly step: StepName;
  readonly input_hash: string;
  readonly version: number;
  readonly config_version: string;
  readonly content: unknown;
}

/** The checkpoint with this text in its material: that lies in the session's row, so that it is not kept twice. */
function withText(checkpoint: Checkpoint, text: string): Checkpoint {
  if (checkpoint.step !== 'material' || checkpoint.material.parts.text === undefined) return checkpoint;
  const { material } = checkpoint;
  const parts = { ...material.parts, text: { ...checkpoint.material.parts.text, text } };
  return { ...checkpoint, material: { ...material, parts } };
}

/** The checkpoint of a row, or why it cannot be used. */
function checkpointIn(
  row: CheckpointRow,
  { inputHash, inputText }: TextOwner,
): { checkpoint: Checkpoint } | { objection: string } {
  const { step, input_hash, version, content } = row;
  if (version !== CHECKPOINT_VERSION) return { objection: `its schema version is ${version}` };
  if (input_hash !== inputHash) return { objection: 'it was made from another input' };
  const parsed = checkpointSchema.safeParse(content);
  if (!parsed.success) return { objection: z.prettifyError(parsed.error) };
  if (parsed.data.step !== step) return { objection: 'it is of another step' };
  return { checkpoint: withText(parsed.data, inputText ?? '') };
}

/** The checkpoints of rows. One that cannot be used counts as absent, and is logged. */
export function usableCheckpoints(
  rows: readonly CheckpointRow[],
  owner: TextOwner,
  log: Logger,
): StoredCheckpoints {
  const checkpoints: Checkpoint[] = [];
  const unusable: StepName[] = [];
  const configVersions = new Map<StepName, string>();
  for (const row of rows) {
    const { step } = row;
    const result = checkpointIn(row, owner);
    if ('checkpoint' in result) {
      checkpoints.push(result.checkpoint);
      configVersions.set(step, row.config_version);
    } else {
      unusable.push(step);
      log.warn(
        { session_id: owner.sessionId, step, reason: result.objection },
        'a checkpoint cannot be used',
      );
    }
  }
  return { checkpoints, unusable, configVersions };
}

/** Reads the checkpoints of a session. */
export async function readCheckpoints(
  queries: Queries,
  owner: CheckpointOwner,
  log: Logger,
): Promise<StoredCheckpoints> {
  const rows = await queries
    .selectFrom('analysis_checkpoint')
    .innerJoin('analysis_session', 'analysis_session.session_id', 'analysis_checkpoint.session_id')
    .select(['step', 'version', 'content', 'input_text'])
    .select(['analysis_checkpoint.input_hash', 'analysis_checkpoint.config_version'])
    .where('analysis_checkpoint.session_id', '=', owner.sessionId)
    .orderBy('checkpoint_id')
    .execute();
  return usableCheckpoints(rows, { ...owner, inputText: rows[0]?.input_text ?? null }, log);
}

/** The progress of a session, from what is known without reading the results of its steps. */
export interface CompletedSteps {
  readonly done: ReadonlySet<StepName>;
  /** One of them must run again. */
  readonly unusable: boolean;
}

/** The rows of checkpoints without their content. */
export type CheckpointHead = Pick<CheckpointRow, 'step' | 'version' | 'input_hash'>;

/** The steps that have ended, by the heads of their checkpoints. */
export function completedStepsOf(rows: readonly CheckpointHead[], inputHash: string): CompletedSteps {
  const usable = rows.filter((row) => row.version === CHECKPOINT_VERSION && row.input_hash === inputHash);
  return { done: new Set(usable.map(({ step }) => step)), unusable: usable.length < rows.length };
}

/** One checkpoint in a list: when which step ended. */
export interface CheckpointEntry {
  readonly id: number;
  readonly step: StepName;
  readonly createdAt: Date;
}

/** The checkpoints of a session without their content, in the order in which they were stored. */
export async function listCheckpoints(queries: Queries, sessionId: string): Promise<CheckpointEntry[]> {
  const rows = await queries
    .selectFrom('analysis_checkpoint')
    .select(['checkpoint_id', 'step', 'created_at'])
    .where('session_id', '=', sessionId)
    .orderBy('checkpoint_id')
    .execute();
  return rows.map((row) => ({ id: row.checkpoint_id, step: row.step, createdAt: row.created_at }));
}

/** A finished step to be stored. */
export interface NewCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly inputHash: string;
  /** The configuration under which it was made. */
  readonly configVersion: string;
}

/** What is to be stored of one session. */
export interface SessionProgress {
  readonly sessionId: string;
  readonly progress: readonly Progress[];
  /** The run of the step whose result it is, where steps are held; it counts only from the one that holds the step. */
  readonly holder?: string | null;
}

/** Checkpoints as rows, each with its session and holder. */
export function checkpointRows(all: readonly SessionProgress[]) {
  return all.flatMap(({ sessionId, progress, holder = null }) =>
    checkpointsIn(progress).map(({ checkpoint, inputHash, configVersion }) => ({
      session_id: sessionId,
      step: checkpoint.step,
      holder,
      input_hash: inputHash,
      config_version: configVersion,
      content: withText(checkpoint, ''),
    })),
  );
}

/** The same as a table of the statement. */
function newCheckpoints(all: readonly SessionProgress[]) {
  return sql`jsonb_to_recordset(${storableJson(checkpointRows(all))}::jsonb)
    as new (session_id uuid, step text, holder uuid, input_hash text, config_version text, content jsonb)`;
}

/** The insertion of checkpoints of a table; one that is there stays. It returns the session and the step of each new one. */
function insertedFrom(source: RawBuilder<unknown>) {
  return sql`
    insert into analysis_checkpoint (session_id, step, input_hash, config_version, version, content)
    select new.session_id, new.step, input_hash, config_version, ${CHECKPOINT_VERSION}::integer, content from ${source}
    on conflict (session_id, step) do nothing returning session_id, step`;
}

/** The insertion of checkpoints into the sessions that a part of the same statement, `changed`, has changed. */
export function insertedCheckpoints(all: readonly SessionProgress[]) {
  return insertedFrom(sql`changed join ${newCheckpoints(all)} on new.session_id = changed.session_id`);
}

/** What the steps of a session have come to since it was last stored: checkpoints of ended ones, and events. */
export type Progress = NewCheckpoint | ProgressEvent;

/** The checkpoints among what is to be stored. */
export function checkpointsIn(progress: readonly Progress[]): NewCheckpoint[] {
  return progress.filter((item): item is NewCheckpoint => 'checkpoint' in item);
}

/** The events of what is to be stored; those of a checkpoint count only when it is stored. */
export function eventsToStore(all: readonly SessionProgress[]): NewProgressEvent[] {
  return all.flatMap(({ sessionId, progress }) =>
    progress.flatMap((item): NewProgressEvent[] => {
      if (!('checkpoint' in item)) return [{ event: item, sessionId }];
      const { checkpoint } = item;
      return stepEnded(checkpoint).map((event) => ({ event, sessionId, step: checkpoint.step }));
    }),
  );
}

/** A checkpoint that was stored. */
export interface StoredStep {
  readonly session_id: string;
  readonly step: StepName;
}

/**
 * Stores checkpoints of sessions with their events; one that is there stays, so that a second delivery changes nothing. Returns
 * the new ones. The sessions are locked meanwhile, in one order: a removal finds all that was stored, a removed session gets
 * nothing more, and a resume sees a step either as ended or as still to be published. A session that has ended gets no more
 * events: they end with its last status. Of a step that runs from a queue only its holder stores the result.
 */
export async function insertProgress(
  queries: Queries,
  all: readonly SessionProgress[],
): Promise<StoredStep[]> {
  const ids = all.map(({ sessionId }) => sessionId);
  const { rows } = await sql<StoredStep>`
    with locked as (
      select session_id, status from analysis_session
      where session_id = any(${ids}::uuid[]) and deleted_at is null order by session_id for no key update),
    new as (select new.* from locked join ${newCheckpoints(all)} on new.session_id = locked.session_id),
    held as (
      update analysis_step_hold as hold set stored = true from new
      where hold.session_id = new.session_id and hold.step = new.step
        and (new.holder is null or hold.holder = new.holder) returning hold.session_id, hold.step),
    stored as (${insertedFrom(sql`new where holder is null or (session_id, step) in (select session_id, step from held)`)}),
    session as (select session_id from locked where status in ('pending', 'processing', 'running')),
    announced as (${insertedEvents('session', eventsToStore(all), sql`stored`)})
    select session_id, step from stored`.execute(queries);
  return rows;
}

/** Stores checkpoints of one session with their events; the steps of the new ones. */
export async function insertCheckpoints(
  queries: Queries,
  sessionId: string,
  progress: readonly Progress[],
  holder: string | null = null,
): Promise<StepName[]> {
  const stored = await insertProgress(queries, [{ sessionId, progress, holder }]);
  return stored.map(({ step }) => step);
}

/** Drops checkpoints so that their steps run again. */
export async function dropCheckpoints(
  queries: Queries,
  sessionId: string,
  steps: readonly StepName[],
): Promise<void> {
  if (steps.length === 0) return;
  await queries
    .deleteFrom('analysis_checkpoint')
    .where('session_id', '=', sessionId)
    .where('step', 'in', [...steps])
    .execute();
}
