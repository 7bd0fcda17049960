import { sql } from 'kysely';
import {
  type DecidedSession,
  decidedSessions,
  type EarlierSession,
  earlierSessions,
} from './earlier-sessions.ts';
import type { Queries } from './tables.ts';

/** The perceptual hash of a picture: 64 hexadecimal digits, and how much there is to see, 0 to 100. */
export interface StoredPictureHash {
  readonly value: string;
  readonly quality: number;
}

/** An earlier session about a near picture. */
export interface NearDuplicateSession extends EarlierSession {
  readonly sameBytes: boolean;
  readonly differingBits: number;
}

/** What a person decided about a near picture of another user. */
export interface NearDuplicateFactCheck extends DecidedSession {
  readonly differingBits: number;
}

/** Bits in which near copies differ at most: the published threshold of the hash. */
export const NEAR_DUPLICATE_BITS = 31;
/** From this quality on a hash says what a picture shows. */
const LEAST_QUALITY = 50;
const WORD_BITS = 16;
const WORD_DIGITS = 4;

/** Whether near copies of a picture can be found by its hash. */
export function isDistinctive({ quality }: StoredPictureHash): boolean {
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
export async function storeHash(queries: Queries, mediaId: string, hash: StoredPictureHash): Promise<void> {
  await sql`
    insert into picture_hash (media_id, hash, quality, bands)
    select media_id, ${bits(hash.value)}::bit(256), ${hash.quality}, ${list(bandsOf(hash.value))}::int[]
    from media_object where media_id = ${mediaId} for key share
    on conflict (media_id) do update
      set hash = excluded.hash, quality = excluded.quality, bands = excluded.bands`.execute(queries);
}

/** Media that are the picture itself, or, where its hash allows, near copies of it. */
const near = (mediaId: string, hash: StoredPictureHash) => sql`
  select h.media_id, bit_count(h.hash # ${bits(hash.value)}::bit(256))::int as distance
  from picture_hash h
  where h.media_id = ${mediaId} or (${isDistinctive(hash)} and h.quality >= ${LEAST_QUALITY}
    and h.bands && ${list(nearBandsOf(hash.value))}::int[]
    and bit_count(h.hash # ${bits(hash.value)}::bit(256)) <= ${NEAR_DUPLICATE_BITS})`;

/** Ended sessions of the same owner about the picture or a near copy, or a page that shows it, the newest first. */
export async function findNearDuplicateSessions(
  queries: Queries,
  account: string,
  mediaId: string,
  hash: StoredPictureHash,
): Promise<NearDuplicateSession[]> {
  const sessions = await earlierSessions(queries, account, near(mediaId, hash));
  return sessions.map((session) => ({
    ...session,
    sameBytes: session.media.some((medium) => medium.mediaId === mediaId),
    differingBits: Math.min(...session.media.map(({ distance }) => distance)),
  }));
}

/** What persons decided of the picture or a near copy in sessions of other owners, the newest first. */
export async function findNearDuplicateFactChecks(
  queries: Queries,
  account: string,
  mediaId: string,
  hash: StoredPictureHash,
): Promise<NearDuplicateFactCheck[]> {
  const decided = await decidedSessions(queries, account, near(mediaId, hash));
  return decided.map((session) => ({ ...session, differingBits: session.medium.distance }));
}
