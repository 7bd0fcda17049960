import type { Selectable } from 'kysely';
import type { MediaType } from '../resources/media-types.ts';
import type { StoredSession } from '../session/record.ts';
import type { SessionTable } from './tables.ts';

/** The columns that a stored session is read from. */
export const SESSION_COLUMNS = [
  'session_id',
  'user_id',
  'account',
  'user_email',
  'input_type',
  'input_text',
  'input_title',
  'input_url',
  'input_media_url',
  'input_hash',
  'input_language',
  'source_app',
  'plan',
  'status',
  'error_code',
  'revision',
  'config_version',
  'cancel_requested_at',
  'created_at',
  'started_at',
  'completed_at',
  'total_duration_ms',
] as const;

/** A row with those columns. */
export type SessionRow = Pick<Selectable<SessionTable>, (typeof SESSION_COLUMNS)[number]>;

/** The session that a row stands for. */
export function toStoredSession(row: SessionRow): StoredSession {
  return {
    sessionId: row.session_id,
    userId: row.user_id,
    account: row.account,
    userEmail: row.user_email,
    inputType: row.input_type as MediaType,
    inputText: row.input_text,
    inputTitle: row.input_title,
    inputUrl: row.input_url,
    inputMediaUrl: row.input_media_url,
    inputHash: row.input_hash,
    inputLanguage: row.input_language,
    sourceApp: row.source_app,
    status: row.status,
    errorCode: row.error_code,
    plan: row.plan,
    revision: row.revision,
    configVersion: row.config_version,
    cancelRequestedAt: row.cancel_requested_at,
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    totalDurationMs: row.total_duration_ms,
  };
}
