import { type RawBuilder, sql } from 'kysely';
import type { ClaimItem } from '../resources/claims-result.ts';
import { revisionContent } from '../session/revision.ts';
import { SESSION_MEDIA } from './media.ts';
import type { Queries } from './tables.ts';

/** A medium that is the one in question, or a near copy; the distance is 0 where only that counts. */
interface NearMedium {
  readonly mediaId: string;
  readonly distance: number;
}

/** An earlier session of the same owner about a near medium. */
export interface EarlierSession {
  readonly sessionId: string;
  readonly createdAt: Date;
  readonly riskScore: number | null;
  readonly riskCategory: string | null;
  readonly media: readonly NearMedium[];
}

/** A decision of a moderator about a near copy that another user submitted. */
export interface DecidedSession {
  readonly decidedAt: Date;
  readonly riskScore: number | null;
  readonly riskCategory: string | null;
  /** The claims that a person decided. */
  readonly claims: readonly (ClaimItem & { readonly reviewed_at: string })[];
  readonly medium: NearMedium;
}

/** Rows that an answer holds. */
const MOST_SESSIONS = 20;
const MOST_FACT_CHECKS = 10;

/** Whether a person decided of the session: table names are those of the queries here. */
export const IS_DECIDED = sql`e.status = 'resolved' and e.resolution_action in ('approved', 'corrected')
  and e.resolved_at is not null`;

interface SessionRow {
  readonly session_id: string;
  readonly created_at: Date;
  readonly risk_score: number | null;
  readonly risk_category: string | null;
  readonly media: readonly { readonly media_id: string; readonly distance: number }[];
}

/** Ended sessions of an owner about media (`media_id`, `distance`), or a page that shows them, the newest first. */
export async function earlierSessions(
  queries: Queries,
  account: string,
  near: RawBuilder<unknown>,
): Promise<EarlierSession[]> {
  const { rows } = await sql<SessionRow>`
    with near as (${near})
    select s.session_id, s.created_at, s.risk_score, s.risk_category,
      jsonb_agg(jsonb_build_object('media_id', near.media_id, 'distance', near.distance)) as media
    from near join ${SESSION_MEDIA} a using (media_id) join analysis_session s using (session_id)
    where s.account = ${account} and s.status = 'completed' and s.deleted_at is null
    group by s.session_id order by s.created_at desc, s.session_id limit ${MOST_SESSIONS}`.execute(queries);
  return rows.map((row) => ({
    sessionId: row.session_id,
    createdAt: row.created_at,
    riskScore: row.risk_score,
    riskCategory: row.risk_category,
    media: row.media.map(({ media_id, distance }) => ({ mediaId: media_id, distance })),
  }));
}

const isReviewed = (claim: ClaimItem): claim is ClaimItem & { reviewed_at: string } =>
  claim.reviewed_at !== null;

interface DecidedRow extends Omit<SessionRow, 'session_id' | 'created_at' | 'media'> {
  readonly resolved_at: Date;
  readonly content: unknown;
  readonly media_id: string;
  readonly distance: number;
}

/** What persons decided of media (`media_id`, `distance`) in sessions of other owners, the newest first. */
export async function decidedSessions(
  queries: Queries,
  account: string,
  near: RawBuilder<unknown>,
): Promise<DecidedSession[]> {
  const { rows } = await sql<DecidedRow>`
    with near as (${near})
    select e.resolved_at, near.media_id, near.distance, s.risk_score, s.risk_category, r.content
    from near join analysis_session s using (media_id)
      join moderation_entry e on e.session_id = s.session_id
      left join analysis_revision r on r.session_id = s.session_id and r.revision = s.revision
    where s.account <> ${account} and s.status = 'completed' and s.deleted_at is null and ${IS_DECIDED}
    order by e.resolved_at desc limit ${MOST_FACT_CHECKS}`.execute(queries);
  return rows.map((row) => {
    const revision = row.content === null ? undefined : revisionContent.parse(row.content);
    return {
      decidedAt: row.resolved_at,
      riskScore: row.risk_score,
      riskCategory: row.risk_category,
      claims: (revision?.claims?.claims_verified ?? []).filter(isReviewed),
      medium: { mediaId: row.media_id, distance: row.distance },
    };
  });
}
