import type { RetentionRule } from '../../../foundation/database/retention.ts';
import type { Queries } from './tables.ts';

/** One look of staff at what belongs to somebody else. */
export interface Access {
  /** Who looked: realm and subject. */
  readonly actor: string;
  readonly roles: readonly string[];
  readonly action: 'history' | 'session';
  /** Whose it is: realm and subject. */
  readonly account: string;
  /** The session that was read; null for a list. */
  readonly sessionId: string | null;
  readonly correlationId: string;
}

/** Looks are kept for so many days. */
export const accessRows = (days: number): RetentionRule[] => [{ table: 'analysis_access', at: 'at', days }];

/** Notes a look before it is taken, so that none goes unseen. Rows are only ever added. */
export async function recordAccess(queries: Queries, access: Access): Promise<void> {
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
