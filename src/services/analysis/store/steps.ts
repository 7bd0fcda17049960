import { type Selectable, sql } from 'kysely';
import type { CheckpointRow } from './checkpoints.ts';
import { recordOf, type SessionRecord } from './sessions.ts';
import type { Queries, SessionTable } from './tables.ts';

/** A session as a worker reads it. */
export interface SessionWithSteps {
  readonly record: SessionRecord;
  /** What is stored of its steps, in the order in which they ended. */
  readonly rows: readonly CheckpointRow[];
}

/** Reads sessions with their checkpoints, in the order of the ids; undefined where there is none, or it was deleted. */
export async function readSessions(
  queries: Queries,
  ids: readonly string[],
  { contents }: { readonly contents: boolean },
): Promise<(SessionWithSteps | undefined)[]> {
  const { rows } = await sql<Selectable<SessionTable> & { checkpoints: CheckpointRow[] }>`
    select session.*, (
      select coalesce(json_agg(json_build_object('step', step, 'input_hash', checkpoint.input_hash, 'version', version,
        'config_version', checkpoint.config_version, 'content', case when ${contents} then content end)
        order by checkpoint_id), '[]')
      from analysis_checkpoint as checkpoint where checkpoint.session_id = session.session_id) as checkpoints
    from analysis_session as session
    where session_id = any(${ids}::uuid[]) and deleted_at is null`.execute(queries);
  const found = new Map(rows.map((row) => [row.session_id, row]));
  return ids.map((id) => {
    const row = found.get(id);
    return row === undefined ? undefined : { record: recordOf(row), rows: row.checkpoints };
  });
}
