import { sql } from 'kysely';
import type { UnreadReason } from '../../../media/properties.ts';
import type { MediaTable, Queries } from './tables.ts';

/** A stored medium of a user. */
export interface StoredMedia {
  readonly mediaId: string;
  readonly account: string;
  readonly bucket: string;
  readonly objectKey: string;
  readonly mediaType: MediaTable['media_type'];
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSec: number | null;
  /** Why the header of the file was not read; null when it was. */
  readonly unread: UnreadReason | null;
  readonly createdAt: Date;
}

const COLUMNS = [
  'media_id',
  'account',
  'bucket',
  'object_key',
  'media_type',
  'mime_type',
  'file_name',
  'size_bytes',
  'sha256',
  'width',
  'height',
  'duration_sec',
  'unread',
  'created_at',
] as const;

type Row = Pick<MediaTable, Exclude<(typeof COLUMNS)[number], 'created_at'>> & { created_at: Date };

const toMedia = (row: Row): StoredMedia => ({
  mediaId: row.media_id,
  account: row.account,
  bucket: row.bucket,
  objectKey: row.object_key,
  mediaType: row.media_type,
  mimeType: row.mime_type,
  fileName: row.file_name,
  // A bigint of the database arrives as text.
  sizeBytes: Number(row.size_bytes),
  sha256: row.sha256,
  width: row.width,
  height: row.height,
  durationSec: row.duration_sec,
  unread: row.unread,
  createdAt: row.created_at,
});

/** Stores a medium; when the user has the same bytes already, that medium is answered instead. */
export async function insertMedia(
  queries: Queries,
  media: Omit<StoredMedia, 'createdAt'>,
  derivedFrom: string | null = null,
): Promise<StoredMedia> {
  const row = await queries
    .insertInto('media_object')
    .values({
      media_id: media.mediaId,
      account: media.account,
      bucket: media.bucket,
      object_key: media.objectKey,
      media_type: media.mediaType,
      mime_type: media.mimeType,
      file_name: media.fileName,
      size_bytes: media.sizeBytes,
      sha256: media.sha256,
      width: media.width,
      height: media.height,
      duration_sec: media.durationSec,
      unread: media.unread,
      derived_from: derivedFrom,
    })
    .onConflict((conflict) =>
      conflict.columns(['account', 'sha256']).doUpdateSet({ used_at: sql<Date>`clock_timestamp()` }),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return toMedia(row);
}

/** Which medium: by its id, or by the name of its object. */
export type MediaKey = { readonly mediaId: string } | { readonly bucket: string; readonly objectKey: string };

/** A medium; with a user, only if it is that user's. */
export async function findMedia(
  queries: Queries,
  key: MediaKey,
  account?: string,
): Promise<StoredMedia | undefined> {
  let query = queries.selectFrom('media_object').select(COLUMNS);
  query =
    'mediaId' in key
      ? query.where('media_id', '=', key.mediaId)
      : query.where('bucket', '=', key.bucket).where('object_key', '=', key.objectKey);
  if (account !== undefined) query = query.where('account', '=', account);
  const row = await query.executeTakeFirst();
  return row === undefined ? undefined : toMedia(row);
}

/** The sessions about a medium, the newest first. */
export async function sessionsOfMedia(queries: Queries, mediaId: string): Promise<string[]> {
  const rows = await queries
    .selectFrom('analysis_session')
    .select('session_id')
    .where('media_id', '=', mediaId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute();
  return rows.map(({ session_id }) => session_id);
}

/**
 * Media that a statement took away from their owners, as objects that are to be removed; what was drawn of them goes with
 * them, unless a session is about that.
 */
const toLeaving = (gone: ReturnType<typeof sql>) => sql`
  with gone as (${gone}),
  drawn as (
    delete from media_object d
    where d.derived_from in (select media_id from gone)
      and not exists (select from analysis_session s where s.media_id = d.media_id and s.deleted_at is null)
    returning d.bucket, d.object_key, d.account)
  insert into media_unowned (bucket, object_key, account, reserved_bytes, leaving, until)
  select bucket, object_key, account, 0, true, now() from gone
  union all select bucket, object_key, account, 0, true, now() from drawn`;

/**
 * Says that the page of a session shows a medium; false when the session has gone meanwhile. The lock lets a deletion of the
 * session wait, which then finds the medium.
 */
export async function showOnPage(queries: Queries, sessionId: string, mediaId: string): Promise<boolean> {
  const { rows } = await sql`
    select from analysis_session where session_id = ${sessionId} and deleted_at is null for share`.execute(
    queries,
  );
  if (rows.length === 0) return false;
  await queries
    .insertInto('session_picture')
    .values({ session_id: sessionId, media_id: mediaId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return true;
}

/** Sessions by their media: the one that they are about, and those that their page shows. */
export const SESSION_MEDIA = sql`(
  select session_id, media_id from analysis_session where media_id is not null
  union all select session_id, media_id from session_picture)`;

/** Takes the media of a deleted session away, unless another session of their owner is about them. */
export async function releaseMediaOf(queries: Queries, sessionId: string): Promise<void> {
  await toLeaving(sql`
    delete from media_object m
    where m.media_id in (select media_id from ${SESSION_MEDIA} own where own.session_id = ${sessionId})
      and not exists (
        select from ${SESSION_MEDIA} a join analysis_session s using (session_id)
        where a.media_id = m.media_id and a.session_id <> ${sessionId} and s.deleted_at is null)
    returning m.media_id, m.bucket, m.object_key, m.account`).execute(queries);
  await queries.deleteFrom('session_picture').where('session_id', '=', sessionId).execute();
}

/** Takes media away that were sent before, and that no session since, and none that is open, is about. */
export async function expireMedia(queries: Queries, days: number): Promise<void> {
  await toLeaving(sql`
    delete from media_object m
    where m.used_at < now() - ${days} * interval '1 day' and m.derived_from is null
      and not exists (
        select from ${SESSION_MEDIA} a join analysis_session s using (session_id)
        where a.media_id = m.media_id and s.deleted_at is null
          and (s.created_at > now() - ${days} * interval '1 day'
            or s.status in ('pending', 'processing', 'running')))
    returning m.media_id, m.bucket, m.object_key, m.account`).execute(queries);
}
