import { sql } from 'kysely';
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
import { insertEvents, insertedEvents, type NewProgressEvent } from './progress-events.ts';
import type { Queries } from './tables.ts';

/** Whose checkpoints are meant, and what its steps start from. */
export interface CheckpointOwner {
  readonly sessionId: string;
  readonly inputHash: string;
}

/** The checkpoints of a session as far as they can be used. */
export interface StoredCheckpoints {
  readonly checkpoints: Checkpoints;
  /** Steps whose stored checkpoint cannot be used: of another input or schema version, or unreadable. */
  readonly unusable: readonly StepName[];
  /** The configuration under which each usable checkpoint was made. */
  readonly configVersions: ReadonlyMap<StepName, string>;
}

interface Row {
  readonly step: StepName;
  readonly input_hash: string;
  readonly version: number;
  readonly config_version: string;
  readonly content: unknown;
  /** The text of the session, which its material leaves to the session's own row. */
  readonly input_text: string | null;
}

/** The checkpoint with this text in its material: that lies in the session's row, so that it is not kept twice. */
function withText(checkpoint: Checkpoint, text: string): Checkpoint {
  if (checkpoint.step !== 'material' || checkpoint.material.parts.text === undefined) return checkpoint;
  const { material } = checkpoint;
  const parts = { ...material.parts, text: { ...checkpoint.material.parts.text, text } };
  return { ...checkpoint, material: { ...material, parts } };
}

/** The checkpoint of a row, or why it cannot be used. */
function checkpointIn(row: Row, inputHash: string): { checkpoint: Checkpoint } | { objection: string } {
  const { step, input_hash, version, content, input_text } = row;
  if (version !== CHECKPOINT_VERSION) return { objection: `its schema version is ${version}` };
  if (input_hash !== inputHash) return { objection: 'it was made from another input' };
  const parsed = checkpointSchema.safeParse(content);
  if (!parsed.success) return { objection: z.prettifyError(parsed.error) };
  if (parsed.data.step !== step) return { objection: 'it is of another step' };
  return { checkpoint: withText(parsed.data, input_text ?? '') };
}

/** Reads the checkpoints of a session. One that cannot be used counts as absent, and is logged. */
export async function readCheckpoints(
  queries: Queries,
  { sessionId, inputHash }: CheckpointOwner,
  log: Logger,
): Promise<StoredCheckpoints> {
  const rows: Row[] = await queries
    .selectFrom('analysis_checkpoint')
    .innerJoin('analysis_session', 'analysis_session.session_id', 'analysis_checkpoint.session_id')
    .select(['step', 'version', 'content', 'input_text'])
    .select(['analysis_checkpoint.input_hash', 'analysis_checkpoint.config_version'])
    .where('analysis_checkpoint.session_id', '=', sessionId)
    .orderBy('checkpoint_id')
    .execute();
  const checkpoints: Checkpoint[] = [];
  const unusable: StepName[] = [];
  const configVersions = new Map<StepName, string>();
  for (const row of rows) {
    const { step } = row;
    const result = checkpointIn(row, inputHash);
    if ('checkpoint' in result) {
      checkpoints.push(result.checkpoint);
      configVersions.set(step, row.config_version);
    } else {
      unusable.push(step);
      log.warn({ session_id: sessionId, step, reason: result.objection }, 'a checkpoint cannot be used');
    }
  }
  return { checkpoints, unusable, configVersions };
}

/** The steps of a session that have ended, by what can be told without reading what they left, and whether one must run again. */
export async function storedSteps(
  queries: Queries,
  { sessionId, inputHash }: CheckpointOwner,
): Promise<{ done: Set<StepName>; unusable: boolean }> {
  const rows = await queries
    .selectFrom('analysis_checkpoint')
    .select(['step', 'version', 'input_hash'])
    .where('session_id', '=', sessionId)
    .execute();
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

/** The columns of a checkpoint that is stored, in the order of `checkpointRows`. */
export const CHECKPOINT_COLUMNS = sql.raw('session_id, step, input_hash, config_version, version, content');

/** Checkpoints as rows of `new`, without the session. */
export function checkpointRows(checkpoints: readonly NewCheckpoint[]) {
  const rows = checkpoints.map(
    ({ checkpoint, inputHash, configVersion }) =>
      sql`(${checkpoint.step}, ${inputHash}, ${configVersion}, ${CHECKPOINT_VERSION}::integer, ${storableJson(withText(checkpoint, ''))}::jsonb)`,
  );
  return sql`(values ${sql.join(rows)}) as new`;
}

/** What the steps of a session have come to since it was last stored: checkpoints of ended ones, and events. */
export type Progress = NewCheckpoint | ProgressEvent;

/** The checkpoints among what is to be stored. */
export function checkpointsIn(progress: readonly Progress[]): NewCheckpoint[] {
  return progress.filter((item): item is NewCheckpoint => 'checkpoint' in item);
}

/** The events of what is to be stored; those of a checkpoint count only when it is stored. */
export function eventsIn(progress: readonly Progress[]): NewProgressEvent[] {
  return progress.flatMap((item): NewProgressEvent[] => {
    if (!('checkpoint' in item)) return [{ event: item }];
    const { checkpoint } = item;
    return stepEnded(checkpoint).map((event) => ({ event, step: checkpoint.step }));
  });
}

/**
 * Stores checkpoints with their events; one that is there stays, so that a second delivery changes nothing. Returns the new
 * ones. The session is locked meanwhile: a removal finds all that was stored, a removed session gets nothing more, and a
 * resume sees a step either as ended or as still to be published. A session that has ended gets no more events: they end with
 * its last status. Of a step that runs from a queue only its holder stores the result.
 */
export async function insertCheckpoints(
  queries: Queries,
  sessionId: string,
  progress: readonly Progress[],
  holder: string | null = null,
): Promise<StepName[]> {
  const checkpoints = checkpointsIn(progress);
  if (checkpoints.length === 0) {
    await insertEvents(
      queries,
      sessionId,
      progress.filter((item) => 'event' in item),
    );
    return [];
  }
  const steps = checkpoints.map(({ checkpoint }) => checkpoint.step);
  const { rows } = await sql<{ step: StepName }>`
    with locked as (
      select session_id, status from analysis_session
      where session_id = ${sessionId} and deleted_at is null for no key update),
    held as (
      update analysis_step_hold as hold set stored = true from locked
      where hold.session_id = locked.session_id and hold.step = any(${steps})
        and (${holder}::uuid is null or hold.holder = ${holder}::uuid) returning hold.step),
    stored as (
      insert into analysis_checkpoint (${CHECKPOINT_COLUMNS})
      select session_id, new.* from locked, ${checkpointRows(checkpoints)}
      where ${holder}::uuid is null or exists (select from held)
      on conflict (session_id, step) do nothing returning step),
    session as (select session_id from locked where status in ('pending', 'processing', 'running')),
    announced as (${insertedEvents('session', eventsIn(progress), sql`stored`)})
    select step from stored`.execute(queries);
  return rows.map(({ step }) => step);
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
