import { sql } from 'kysely';
import type { ClaimItem } from '../resources/claims-result.ts';
import { revisionContent } from '../session/revision.ts';
import { SESSION_MEDIA } from './media.ts';
import type { Queries } from './tables.ts';

/** The perceptual hash of a picture: 64 hexadecimal digits, and how much there is to see, 0 to 100. */
export interface PictureHash {
  readonly value: string;
  readonly quality: number;
}

/** An earlier session about a near picture. */
export interface NearSession {
  readonly sessionId: string;
  readonly createdAt: Date;
  readonly sameBytes: boolean;
  readonly differingBits: number;
  readonly riskScore: number | null;
  readonly riskCategory: string | null;
}

/** What a person decided of a near picture of somebody else. */
export interface NearFactCheck extends Omit<NearSession, 'sessionId' | 'createdAt' | 'sameBytes'> {
  readonly decidedAt: Date;
  /** The claims that a person decided. */
  readonly claims: readonly (ClaimItem & { readonly reviewed_at: string })[];
}

/** Bits in which near copies differ at most: the published threshold of the hash. */
export const NEAR_BITS = 31;
/** From this quality on a hash says what a picture shows. */
const LEAST_QUALITY = 50;
const WORD_BITS = 16;
const WORD_DIGITS = 4;
/** Rows that an answer holds. */
const MOST_SESSIONS = 20;
const MOST_FACT_CHECKS = 10;

/** Whether near copies of a picture can be told by its hash. */
export function isTelling({ quality }: PictureHash): boolean {
  return quality >= LEAST_QUALITY;
}

/** The 16 words of a hash, each with its number in the higher half. */
function bandsOf(value: string): number[] {
  return Array.from({ length: value.length / WORD_DIGITS }, (_, place) => {
    const word = Number.parseInt(value.slice(WORD_DIGITS * place, WORD_DIGITS * (place + 1)), 16);
    return (place << WORD_BITS) | word;
  });
}

/** Of 31 differing bits in 16 words one word has at most one: these are all words that a near hash can have there. */
function nearBandsOf(value: string): number[] {
  return bandsOf(value).flatMap((band) => [
    band,
    ...Array.from({ length: WORD_BITS }, (_, bit) => band ^ (1 << bit)),
  ]);
}

const bits = (value: string) =>
  [...value].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join('');
const list = (numbers: readonly number[]) => `{${numbers.join(',')}}`;

/** Keeps the hash of a medium; nothing when the medium has gone meanwhile. */
export async function keepHash(queries: Queries, mediaId: string, hash: PictureHash): Promise<void> {
  await sql`
    insert into picture_hash (media_id, hash, quality, bands)
    select media_id, ${bits(hash.value)}::bit(256), ${hash.quality}, ${list(bandsOf(hash.value))}::int[]
    from media_object where media_id = ${mediaId} for key share
    on conflict (media_id) do update
      set hash = excluded.hash, quality = excluded.quality, bands = excluded.bands`.execute(queries);
}

/** Media that are the picture itself, or, where its hash tells, near copies of it. */
const near = (mediaId: string, hash: PictureHash) => sql`
  select h.media_id, bit_count(h.hash # ${bits(hash.value)}::bit(256))::int as distance
  from picture_hash h
  where h.media_id = ${mediaId} or (${isTelling(hash)} and h.quality >= ${LEAST_QUALITY}
    and h.bands && ${list(nearBandsOf(hash.value))}::int[]
    and bit_count(h.hash # ${bits(hash.value)}::bit(256)) <= ${NEAR_BITS})`;

interface NearRow {
  readonly session_id: string;
  readonly created_at: Date;
  readonly same_bytes: boolean;
  readonly distance: number;
  readonly risk_score: number | null;
  readonly risk_category: string | null;
}

/** Ended sessions of the same owner about the picture or a near copy, or a page that shows it, the newest first. */
export async function nearSessions(
  queries: Queries,
  account: string,
  mediaId: string,
  hash: PictureHash,
): Promise<NearSession[]> {
  const { rows } = await sql<NearRow>`
    with near as (${near(mediaId, hash)})
    select s.session_id, s.created_at, bool_or(near.media_id = ${mediaId}) as same_bytes, min(near.distance) as distance,
      s.risk_score, s.risk_category
    from near join ${SESSION_MEDIA} a using (media_id) join analysis_session s using (session_id)
    where s.account = ${account} and s.status = 'completed' and s.deleted_at is null
    group by s.session_id order by s.created_at desc, s.session_id limit ${MOST_SESSIONS}`.execute(queries);
  return rows.map((row) => ({
    sessionId: row.session_id,
    createdAt: row.created_at,
    sameBytes: row.same_bytes,
    differingBits: row.distance,
    riskScore: row.risk_score,
    riskCategory: row.risk_category,
  }));
}

const isReviewed = (claim: ClaimItem): claim is ClaimItem & { reviewed_at: string } =>
  claim.reviewed_at !== null;

/** What persons decided of the picture or a near copy in sessions of other owners, the newest first. */
export async function nearFactChecks(
  queries: Queries,
  account: string,
  mediaId: string,
  hash: PictureHash,
): Promise<NearFactCheck[]> {
  const { rows } = await sql<NearRow & { readonly resolved_at: Date; readonly content: unknown }>`
    with near as (${near(mediaId, hash)})
    select e.resolved_at, near.distance, s.risk_score, s.risk_category, r.content
    from near join analysis_session s using (media_id)
      join moderation_entry e on e.session_id = s.session_id
      left join analysis_revision r on r.session_id = s.session_id and r.revision = s.revision
    where s.account <> ${account} and s.status = 'completed' and s.deleted_at is null
      and e.status = 'resolved' and e.resolution_action in ('approved', 'corrected') and e.resolved_at is not null
    order by e.resolved_at desc limit ${MOST_FACT_CHECKS}`.execute(queries);
  return rows.map((row) => {
    const revision = row.content === null ? undefined : revisionContent.parse(row.content);
    return {
      decidedAt: row.resolved_at,
      differingBits: row.distance,
      riskScore: row.risk_score,
      riskCategory: row.risk_category,
      claims: (revision?.claims?.claims_verified ?? []).filter(isReviewed),
    };
  });
}
