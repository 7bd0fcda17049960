import { sql } from 'kysely';
import type { Queries } from './tables.ts';

/** A stored medium of a user. */
export interface StoredMedia {
  readonly mediaId: string;
  readonly bucket: string;
  readonly objectKey: string;
  readonly mediaType: 'image' | 'audio' | 'video';
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly createdAt: Date;
}

const COLUMNS = [
  'media_id',
  'bucket',
  'object_key',
  'media_type',
  'mime_type',
  'file_name',
  'size_bytes',
  'sha256',
  'created_at',
] as const;

interface Row {
  media_id: string;
  bucket: string;
  object_key: string;
  media_type: 'image' | 'audio' | 'video';
  mime_type: string;
  file_name: string | null;
  size_bytes: number;
  sha256: string;
  created_at: Date;
}

const toMedia = (row: Row): StoredMedia => ({
  mediaId: row.media_id,
  bucket: row.bucket,
  objectKey: row.object_key,
  mediaType: row.media_type,
  mimeType: row.mime_type,
  fileName: row.file_name,
  // A bigint of the database arrives as text.
  sizeBytes: Number(row.size_bytes),
  sha256: row.sha256,
  createdAt: row.created_at,
});

/** Stores a medium; undefined when the user has the same bytes already. */
export async function insertMedia(
  queries: Queries,
  account: string,
  media: Omit<StoredMedia, 'createdAt'>,
): Promise<StoredMedia | undefined> {
  const row = await queries
    .insertInto('media_object')
    .values({
      media_id: media.mediaId,
      account,
      bucket: media.bucket,
      object_key: media.objectKey,
      media_type: media.mediaType,
      mime_type: media.mimeType,
      file_name: media.fileName,
      size_bytes: media.sizeBytes,
      sha256: media.sha256,
    })
    .onConflict((conflict) => conflict.columns(['account', 'sha256']).doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
  return row === undefined ? undefined : toMedia(row);
}

/** The user's medium with these bytes. */
export async function findMediaBySha256(
  queries: Queries,
  account: string,
  sha256: string,
): Promise<StoredMedia | undefined> {
  const row = await queries
    .selectFrom('media_object')
    .select(COLUMNS)
    .where('account', '=', account)
    .where('sha256', '=', sha256)
    .executeTakeFirst();
  return row === undefined ? undefined : toMedia(row);
}

/** The user's medium at a place; other people's are not found. */
export async function findMediaByName(
  queries: Queries,
  account: string,
  bucket: string,
  objectKey: string,
): Promise<StoredMedia | undefined> {
  const row = await queries
    .selectFrom('media_object')
    .select(COLUMNS)
    .where('account', '=', account)
    .where('bucket', '=', bucket)
    .where('object_key', '=', objectKey)
    .executeTakeFirst();
  return row === undefined ? undefined : toMedia(row);
}

/** The user's sessions about a medium, the newest first: those whose address ends with its path. */
export async function sessionsOfMedia(queries: Queries, account: string, path: string): Promise<string[]> {
  const rows = await queries
    .selectFrom('analysis_session')
    .select('session_id')
    .where('account', '=', account)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`right(input_media_url, length(${path}::text)) = ${path}`)
    .orderBy('created_at', 'desc')
    .limit(100)
    .execute();
  return rows.map(({ session_id }) => session_id);
}
