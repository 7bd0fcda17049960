import type { RetentionRule } from '../../../foundation/database/retention.ts';
import type { Queries } from './tables.ts';

/** One read access of staff to the data of another user. */
export interface StaffAccess {
  /** The member of staff: realm and subject. */
  readonly actor: string;
  readonly roles: readonly string[];
  readonly action: 'history' | 'session';
  /** Whose it is: realm and subject. */
  readonly account: string;
  /** The session that was read; null for a list. */
  readonly sessionId: string | null;
  readonly correlationId: string;
}

/** Retention of the log, in days. */
export const accessRows = (days: number): RetentionRule[] => [{ table: 'analysis_access', at: 'at', days }];

/** Records an access before it happens, so that none is missing. Rows are never changed. */
export async function recordAccess(queries: Queries, access: StaffAccess): Promise<void> {
  await queries
    .insertInto('analysis_access')
    .values({
      actor: access.actor,
      roles: [...access.roles],
      action: access.action,
      account: access.account,
      session_id: access.sessionId,
      correlation_id: access.correlationId,
    })
    .execute();
}
