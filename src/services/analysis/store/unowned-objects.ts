import { type Kysely, sql } from 'kysely';
import type { ObjectName } from '../../../foundation/objects/object-store.ts';
import type { AnalysisTables, Queries } from './tables.ts';

/** Milliseconds after which the upload of an object is given up unless its time is moved on. */
const ARRIVAL_MS = 120_000;
/** Milliseconds after which an object that could not be removed is tried again. */
const RETRY_MS = 300_000;
/** Objects that one look takes. */
const BATCH = 100;

/** Names the locks of users' storage among the advisory locks of the database. */
const STORAGE_LOCK = 0x6d656469;

const after = (milliseconds: number) =>
  sql<Date>`clock_timestamp() + ${milliseconds} * interval '1 millisecond'`;

/** Bytes that a user may keep, and bytes that may be uploaded at once. */
export interface StorageShare {
  readonly bytes: number;
  readonly arriving: number;
}

/** Room for an object, or why there is none: all bytes are taken, or too many are being uploaded. */
export type ObjectReservation = { readonly bytes: number } | { readonly refused: 'full' | 'busy' };

/** Bytes that a user has stored or that are reserved, and the objects on their way in. */
async function storageOf(queries: Queries, account: string): Promise<{ bytes: number; arriving: number }> {
  const { rows } = await sql<{ bytes: string; arriving: number }>`
    select (select coalesce(sum(size_bytes), 0) from media_object where account = ${account})
        + coalesce(sum(reserved_bytes), 0) as bytes, count(*)::integer as arriving
    from media_unowned where account = ${account} and not leaving`.execute(queries);
  return { bytes: Number(rows[0]?.bytes ?? 0), arriving: rows[0]?.arriving ?? 0 };
}

/**
 * Reserves room for an object that is being uploaded: as much as it may need, and no more than is left. Uploads of one user decide one
 * after the other, in all processes, so that together they stay within the share.
 */
export function reserveObject(
  queries: Kysely<AnalysisTables>,
  account: string,
  name: ObjectName,
  { mostBytes, leastBytes }: { readonly mostBytes: number; readonly leastBytes: number },
  share: StorageShare,
): Promise<ObjectReservation> {
  return queries.transaction().execute(async (change) => {
    await sql`select pg_advisory_xact_lock(${STORAGE_LOCK}, hashtext(${account}))`.execute(change);
    const used = await storageOf(change, account);
    if (used.arriving >= share.arriving) return { refused: 'busy' };
    const left = share.bytes - used.bytes;
    if (left < leastBytes) return { refused: 'full' };
    const bytes = Math.min(mostBytes, left);
    await change
      .insertInto('media_unowned')
      .values({
        bucket: name.bucket,
        object_key: name.key,
        account,
        reserved_bytes: bytes,
        until: after(ARRIVAL_MS),
      })
      .execute();
    return { bytes };
  });
}

const named = (queries: Queries, { bucket, key }: ObjectName) =>
  queries
    .updateTable('media_unowned')
    .where('bucket', '=', bucket)
    .where('object_key', '=', key)
    .where('leaving', '=', false);

/** Renews the time of an object that is still being uploaded. */
export async function renewReservation(queries: Queries, name: ObjectName): Promise<void> {
  await named(queries, name)
    .set({ until: after(ARRIVAL_MS) })
    .execute();
}

/** Ends a reservation because the object gets an owner; false when it was given up before. */
export async function endReservation(queries: Queries, { bucket, key }: ObjectName): Promise<boolean> {
  const row = await queries
    .deleteFrom('media_unowned')
    .where('bucket', '=', bucket)
    .where('object_key', '=', key)
    .where('leaving', '=', false)
    .returning('bucket')
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives up the upload of an object: it is to be removed, and takes no room of its sender any more. */
export async function abandonObject(queries: Queries, name: ObjectName): Promise<void> {
  await named(queries, name).set({ leaving: true, reserved_bytes: 0, until: sql<Date>`now()` }).execute();
}

/** Claims objects whose time is over for removal by this caller; after a while they may be claimed again. */
export async function claimExpiredObjects(queries: Queries): Promise<ObjectName[]> {
  const { rows } = await sql<{ bucket: string; object_key: string }>`
    update media_unowned set leaving = true, reserved_bytes = 0, until = ${after(RETRY_MS)}
    where (bucket, object_key) in (
      select bucket, object_key from media_unowned where until <= clock_timestamp()
      order by until limit ${BATCH} for update skip locked)
    returning bucket, object_key`.execute(queries);
  return rows.map(({ bucket, object_key }) => ({ bucket, key: object_key }));
}

/** Deletes the record of an object that was removed. */
export async function deleteObjectRecord(queries: Queries, { bucket, key }: ObjectName): Promise<void> {
  await queries
    .deleteFrom('media_unowned')
    .where('bucket', '=', bucket)
    .where('object_key', '=', key)
    .where('leaving', '=', true)
    .execute();
}
