import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { createFairQueue, QueueFullError } from '../../../foundation/fair-queue.ts';
import type { Logger } from '../../../foundation/log.ts';
import {
  isObjectName,
  ObjectMissingError,
  type ObjectName,
  type ObjectStore,
} from '../../../foundation/objects/object-store.ts';
import type { ByteRange } from '../../../foundation/payloads.ts';
import { type MediaProperties, readProperties, type UnreadReason } from '../../../media/properties.ts';
import { drawingKeys } from '../../extractors/contract.ts';
import { errors } from '../errors.ts';
import {
  expireMedia,
  findMedia,
  insertMedia,
  type MediaKey,
  type StoredMedia,
  showOnPage,
} from '../store/media.ts';
import type { AnalysisTables } from '../store/tables.ts';
import {
  abandonObject,
  claimExpiredObjects,
  deleteObjectRecord,
  endReservation,
  renewReservation,
  reserveObject,
  type StorageShare,
} from '../store/unowned-objects.ts';
import { type InspectedContent, inspectContent } from './content-inspection.ts';

/** Content to store. */
export interface IncomingContent {
  readonly content: AsyncIterable<Buffer>;
  readonly fileName: string | undefined;
  /** Upper limit of its size in bytes. */
  readonly mostBytes: number;
  /** Declared lower bound of its size in bytes; room is reserved for it. */
  readonly leastBytes: number;
  /** Its properties where they are known already; its header is not read then. */
  readonly properties?: MediaProperties;
}

/** Received content: a stored object for which quota is reserved, without an owner yet. */
export interface ReceivedContent extends InspectedContent {
  readonly name: ObjectName;
  readonly account: string;
  readonly fileName: string | null;
  readonly properties: MediaProperties | UnreadReason;
  /** Ends what keeps the reservation alive. */
  readonly release: () => void;
}

/** What a medium is deleted with, beside its owner. */
export interface MediaLink {
  /** The medium that it was drawn from. */
  readonly derivedFrom?: string;
  /** The session about the page that shows it. */
  readonly shownIn?: string;
}

/** The media of all users: upload, ownership, reading and deletion. */
export interface MediaLibrary {
  /**
   * Stores content as it streams. Throws rate_limited, payload_too_large or unsupported_media, and leaves nothing behind then.
   * The result has to be passed to `keep` or `discard`.
   */
  receive(account: string, incoming: IncomingContent): Promise<ReceivedContent>;
  /**
   * Makes received content a medium of its sender; equal bytes of one sender are stored once. With a link it is deleted together
   * with what it is linked to, and is not stored when that was deleted already.
   */
  keep(received: ReceivedContent, link?: MediaLink): Promise<StoredMedia>;
  discard(received: Pick<ReceivedContent, 'name' | 'release'>): Promise<void>;
  /** A medium; with a user, only if it is that user's. */
  find(key: MediaKey, account?: string): Promise<StoredMedia | undefined>;
  /** Opens the bytes of a medium, or a range of them; throws media_not_found. */
  open(media: StoredMedia, range?: ByteRange): Promise<Readable>;
  /** Deletes objects without an owner, and media unused for longer than the retention time. */
  sweep(): Promise<void>;
}

/** What the library works with. */
export interface LibraryDependencies {
  readonly queries: Kysely<AnalysisTables>;
  readonly objects: ObjectStore;
  /** The quota of one user. */
  readonly share: StorageShare;
  /** Days after which a medium that no session uses is deleted; 0: never. */
  readonly days: number;
  readonly log: Logger;
}

const BUCKET = 'media';
const isId = (text: string) => z.uuid().safeParse(text).success;
/** How often a reservation says that its content still arrives, in milliseconds. */
const RENEWAL_MS = 30_000;
/** Seconds after which a refused sender should try again. */
const RETRY_AFTER = '5';
/** Headers that are read at once, of all users and of one. */
const READERS = { running: 2, eachRunning: 1, waiting: 1_000 };

/** The error for a store of objects that cannot be reached or is full. */
const lostStore = (cause: unknown) =>
  errors.service_unavailable({ cause, headers: { 'Retry-After': RETRY_AFTER } });

function refusal(refused: 'full' | 'busy'): Error {
  if (refused === 'busy') {
    const message = 'You are sending as many files as you may; try again when one has arrived.';
    return errors.rate_limited({ message, headers: { 'Retry-After': RETRY_AFTER } });
  }
  return errors.payload_too_large({ message: 'You have no room left for this file.' });
}

function mediaTypeOf({ mimeType, properties }: ReceivedContent): StoredMedia['mediaType'] {
  const [type] = mimeType.split('/');
  if (type !== 'image' && type !== 'audio' && type !== 'video') throw errors.unsupported_media();
  // Sound and video share their containers: one without a picture is a sound.
  return type === 'video' && typeof properties !== 'string' && !properties.hasPicture ? 'audio' : type;
}

function mediaOf(received: ReceivedContent): Omit<StoredMedia, 'createdAt'> {
  const { name, properties } = received;
  const mediaType = mediaTypeOf(received);
  const read = typeof properties === 'string' ? null : properties;
  return {
    mediaId: randomUUID(),
    account: received.account,
    bucket: name.bucket,
    objectKey: name.key,
    mediaType,
    mimeType: received.mimeType,
    fileName: received.fileName,
    sizeBytes: received.size,
    sha256: received.sha256,
    width: read?.width ?? null,
    height: read?.height ?? null,
    durationSec: mediaType === 'image' ? null : (read?.durationSec ?? null),
    unread: typeof properties === 'string' ? properties : null,
  };
}

/** Reads the headers of files, a few at a time; users take turns. */
function createReader({ objects, share }: LibraryDependencies) {
  const readers = createFairQueue({ ...READERS, each: share.arriving });
  return (account: string, name: ObjectName): Promise<MediaProperties | UnreadReason> =>
    readers
      .run(account, () => objects.withFile(name, (path) => readProperties(path)))
      .catch((error: unknown): UnreadReason => {
        if (error instanceof QueueFullError) return 'not_read';
        throw lostStore(error);
      });
}

/** Removes an object, and what the extractors may have drawn of it under its name. */
async function removeNow({ objects, queries }: LibraryDependencies, name: ObjectName): Promise<void> {
  for (const key of [...drawingKeys(name.key), name.key]) await objects.remove({ bucket: name.bucket, key });
  await deleteObjectRecord(queries, name);
}

async function discard(
  dependencies: LibraryDependencies,
  { name, release }: Pick<ReceivedContent, 'name' | 'release'>,
): Promise<void> {
  release();
  try {
    await abandonObject(dependencies.queries, name);
    await removeNow(dependencies, name);
  } catch (error) {
    dependencies.log.warn({ err: error, object: name }, 'an object stays until the next sweep');
  }
}

async function receive(
  dependencies: LibraryDependencies,
  read: ReturnType<typeof createReader>,
  account: string,
  { content, fileName, mostBytes, leastBytes, properties: known }: IncomingContent,
): Promise<ReceivedContent> {
  const { queries, objects, share, log } = dependencies;
  const name = { bucket: BUCKET, key: `${new Date().toISOString().slice(0, 10)}/${randomUUID()}` };
  const room = await reserveObject(queries, account, name, { mostBytes, leastBytes }, share);
  if ('refused' in room) throw refusal(room.refused);
  const renewal = setInterval(() => {
    renewReservation(queries, name).catch((error) =>
      log.warn({ err: error }, 'a reservation is not renewed'),
    );
  }, RENEWAL_MS);
  const release = () => clearInterval(renewal);
  const bytes = inspectContent(content, room.bytes);
  try {
    await objects.put(name, bytes.content).catch((error: unknown) => {
      throw bytes.isContentError(error) ? error : lostStore(error);
    });
    const properties = known ?? (await read(account, name));
    return { ...bytes.facts(), name, account, fileName: fileName ?? null, properties, release };
  } catch (error) {
    await discard(dependencies, { name, release });
    throw error;
  }
}

async function keep(
  dependencies: LibraryDependencies,
  received: ReceivedContent,
  { derivedFrom, shownIn }: MediaLink = {},
): Promise<StoredMedia> {
  try {
    const media = mediaOf(received);
    const stored = await dependencies.queries.transaction().execute(async (change) => {
      const kept = await insertMedia(change, media, derivedFrom);
      if (shownIn !== undefined && !(await showOnPage(change, shownIn, kept.mediaId)))
        throw errors.session_not_found();
      // The same bytes are stored already: this object stays unowned and is removed.
      if (kept.mediaId !== media.mediaId) return kept;
      if (await endReservation(change, received.name)) return kept;
      throw errors.service_unavailable({ message: 'The file took too long to arrive; send it again.' });
    });
    if (stored.mediaId !== media.mediaId) await discard(dependencies, received);
    return stored;
  } catch (error) {
    await discard(dependencies, received);
    throw error;
  } finally {
    received.release();
  }
}

async function sweep(dependencies: LibraryDependencies): Promise<void> {
  const { queries, days } = dependencies;
  if (days > 0) await expireMedia(queries, days);
  for (;;) {
    const names = await claimExpiredObjects(queries);
    if (names.length === 0) return;
    const removed = await Promise.allSettled(names.map((name) => removeNow(dependencies, name)));
    for (const outcome of removed) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

/** Opens the library. */
export function createMediaLibrary(dependencies: LibraryDependencies): MediaLibrary {
  const { queries, objects } = dependencies;
  const read = createReader(dependencies);
  return {
    receive: (account, incoming) => receive(dependencies, read, account, incoming),
    keep: (received, link) => keep(dependencies, received, link),
    discard: (received) => discard(dependencies, received),
    find: async (key, account) => {
      const isName =
        'bucket' in key ? isObjectName({ bucket: key.bucket, key: key.objectKey }) : isId(key.mediaId);
      return isName ? findMedia(queries, key, account) : undefined;
    },
    open: ({ bucket, objectKey }, range) =>
      objects.open({ bucket, key: objectKey }, range).catch((error: unknown) => {
        throw error instanceof ObjectMissingError
          ? errors.media_not_found({ cause: error })
          : lostStore(error);
      }),
    sweep: () => sweep(dependencies),
  };
}
