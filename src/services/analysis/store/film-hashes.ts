import { type Kysely, sql } from 'kysely';
import {
  type DecidedSession,
  decidedSessions,
  type EarlierSession,
  earlierSessions,
  IS_DECIDED,
} from './earlier-sessions.ts';
import type { AnalysisTables, Queries } from './tables.ts';

/** The hash of a frame: 64 hexadecimal digits, and how much there is to see, 0 to 100. */
export interface StoredFrame {
  readonly timeSec: number;
  readonly hash: string;
  readonly quality: number;
}

/** A frame by which a film is found or looked for. */
export type FrameFingerprint = Pick<StoredFrame, 'timeSec' | 'hash'>;

/** A film that shares moments with another. */
export interface FilmCandidate {
  readonly mediaId: string;
  readonly frames: readonly StoredFrame[];
}

/** The published threshold of the hash. */
const NEAR_BITS = 31;
const HASH_BYTES = 32;
/** Milliseconds, quality, hash. */
const FRAME_BYTES = 4 + 1 + HASH_BYTES;
/** Words of 20 bits: in a million of moments a word is there once by chance, and a copy that differs in 20 bits has one in common in 93 of 100. */
const WORD_BITS = 20;
const WORD_DIGITS = 5;
const WORDS = 12;
/** Films that are compared frame by frame, those with the most moments in common. */
const MOST_LIKELY = 40;

/** The words of a hash, each with its number in the higher bits. */
function bandsOf(hash: string): number[] {
  return Array.from({ length: WORDS }, (_, place) => {
    const word = Number.parseInt(hash.slice(WORD_DIGITS * place, WORD_DIGITS * (place + 1)), 16);
    return (place << WORD_BITS) | word;
  });
}

function packed(frames: readonly StoredFrame[]): Buffer {
  const bytes = Buffer.alloc(FRAME_BYTES * frames.length);
  for (const [place, { timeSec, hash, quality }] of frames.entries()) {
    bytes.writeUInt32LE(Math.round(1000 * timeSec), FRAME_BYTES * place);
    bytes.writeUInt8(quality, FRAME_BYTES * place + 4);
    bytes.write(hash, FRAME_BYTES * place + 5, 'hex');
  }
  return bytes;
}

function unpacked(stored: Uint8Array): StoredFrame[] {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  return Array.from({ length: bytes.length / FRAME_BYTES }, (_, place) => ({
    timeSec: bytes.readUInt32LE(FRAME_BYTES * place) / 1000,
    quality: bytes.readUInt8(FRAME_BYTES * place + 4),
    hash: bytes.toString('hex', FRAME_BYTES * place + 5, FRAME_BYTES * (place + 1)),
  }));
}

const asRows = (moments: readonly FrameFingerprint[]) =>
  JSON.stringify(
    moments.map(({ timeSec, hash }) => ({
      at_ms: Math.round(1000 * timeSec),
      hash: `x${hash}`,
      bands: bandsOf(hash),
    })),
  );

/** Keeps the hashes of a film, and the moments by which it is found; nothing when the medium has gone meanwhile. */
export async function storeFilm(
  queries: Queries,
  mediaId: string,
  frames: readonly StoredFrame[],
  moments: readonly FrameFingerprint[],
): Promise<void> {
  await sql`
    with medium as (select media_id from media_object where media_id = ${mediaId} for key share),
    film as (
      insert into film_hash (media_id, frames) select media_id, ${packed(frames)} from medium
      on conflict (media_id) do nothing returning media_id)
    insert into film_moment (media_id, at_ms, hash, bands)
    select film.media_id, m.at_ms, m.hash::bit(256), m.bands
    from film, jsonb_to_recordset(${asRows(moments)}::jsonb) as m (at_ms int, hash text, bands int[])
    on conflict do nothing`.execute(queries);
}

/** The hashes of a film; undefined when none are kept. */
export async function findFilm(queries: Queries, mediaId: string): Promise<StoredFrame[] | undefined> {
  const row = await queries
    .selectFrom('film_hash')
    .select('frames')
    .where('media_id', '=', mediaId)
    .executeTakeFirst();
  return row === undefined ? undefined : unpacked(row.frames);
}

/**
 * Other films that share moments and whose sessions may be named, those with the most in common first. Moments are found by the index of their
 * words, which no plan may replace by reading all: comparing the words of every moment with all that are asked takes minutes.
 */
export async function findFilmCandidates(
  queries: Kysely<AnalysisTables>,
  account: string,
  mediaId: string,
  moments: readonly FrameFingerprint[],
): Promise<FilmCandidate[]> {
  const words = [...new Set(moments.flatMap(({ hash }) => bandsOf(hash)))];
  const films = sql<{ media_id: string; frames: Uint8Array }>`
    with asked as materialized (
      select q.hash::bit(256) as hash, unnest(q.bands) as word
      from jsonb_to_recordset(${asRows(moments)}::jsonb) as q (hash text, bands int[])),
    candidate as materialized (
      select media_id, at_ms, hash, bands from film_moment
      where bands && ${`{${words.join(',')}}`}::int[] and media_id <> ${mediaId}),
    found as materialized (
      select c.media_id, count(distinct c.at_ms) as moments
      from candidate c cross join lateral unnest(c.bands) as w (word) join asked q using (word)
      where bit_count(c.hash # q.hash) <= ${NEAR_BITS}
      group by c.media_id)
    select h.media_id, h.frames from found join film_hash h using (media_id)
    where exists (
      select from analysis_session s
      where s.media_id = h.media_id and s.status = 'completed' and s.deleted_at is null
        and (s.account = ${account} or exists (
          select from moderation_entry e where e.session_id = s.session_id and ${IS_DECIDED})))
    order by found.moments desc, h.media_id limit ${MOST_LIKELY}`;
  const rows = await queries.transaction().execute(async (reading) => {
    await sql`set local enable_seqscan = off`.execute(reading);
    // The estimate of the planner is a thousand times too high: compiling the statement would take longer than running it.
    await sql`set local jit = off`.execute(reading);
    return (await films.execute(reading)).rows;
  });
  return rows.map(({ media_id, frames }) => ({ mediaId: media_id, frames: unpacked(frames) }));
}

const listed = (mediaIds: readonly string[]) =>
  sql`select media_id, 0 as distance from unnest(${`{${mediaIds.join(',')}}`}::uuid[]) media_id`;

/** Media of the same bytes, of all owners, the one in question among them. */
export async function mediaWithSameBytes(queries: Queries, sha256: string): Promise<string[]> {
  const rows = await queries
    .selectFrom('media_object')
    .select('media_id')
    .where('sha256', '=', sha256)
    .execute();
  return rows.map(({ media_id }) => media_id);
}

/** Ended sessions of an owner about one of these media, the newest first. */
export const sessionsAbout = (
  queries: Queries,
  account: string,
  mediaIds: readonly string[],
): Promise<EarlierSession[]> => earlierSessions(queries, account, listed(mediaIds));

/** What persons decided of one of these media in sessions of other owners, the newest first. */
export const decisionsAbout = (
  queries: Queries,
  account: string,
  mediaIds: readonly string[],
): Promise<DecidedSession[]> => decidedSessions(queries, account, listed(mediaIds));
