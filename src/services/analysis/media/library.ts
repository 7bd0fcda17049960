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
import { type MediaProperties, readProperties, type Unread } from '../../../media/properties.ts';
import { drawnKeys } from '../../extractors/contract.ts';
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
  endReservation,
  forgetObject,
  giveUpObject,
  renewReservation,
  reserveObject,
  type StorageShare,
  takeUnowned,
} from '../store/unowned-objects.ts';
import { type ArrivedBytes, examined } from './arriving-bytes.ts';

/** A content that somebody wants to store. */
export interface IncomingContent {
  readonly content: AsyncIterable<Buffer>;
  readonly fileName: string | undefined;
  /** Bytes that it can have at most. */
  readonly mostBytes: number;
  /** Bytes that it has at least, as far as its sender says. */
  readonly leastBytes: number;
  /** What its header would tell, of a content that we made ourselves. */
  readonly properties?: MediaProperties;
}

/** A content that has arrived: an object for which room is reserved, and which nobody owns yet. */
export interface Arrival extends ArrivedBytes {
  readonly name: ObjectName;
  readonly account: string;
  readonly fileName: string | null;
  readonly properties: MediaProperties | Unread;
  /** Ends what keeps the reservation alive. */
  readonly release: () => void;
}

/** What a medium belongs to beside its owner. */
export interface Bond {
  /** The medium that it shows something of. */
  readonly derivedFrom?: string;
  /** The session about a page that shows it. */
  readonly shownIn?: string;
}

/** The media of all users: how they come in, who has them, and how they go. */
export interface MediaLibrary {
  /**
   * Takes a content in as it arrives. Throws rate_limited, payload_too_large or unsupported_media; then nothing is left of it.
   * An arrival has to be kept or discarded.
   */
  receive(account: string, incoming: IncomingContent): Promise<Arrival>;
  /**
   * Makes an arrival its sender's medium; bytes that the sender has already are not kept twice. One with a bond goes with what it
   * is bound to, and is not kept when that has gone.
   */
  keep(arrival: Arrival, bond?: Bond): Promise<StoredMedia>;
  discard(arrival: Pick<Arrival, 'name' | 'release'>): Promise<void>;
  /** A medium; with a user, only if it is that user's. */
  find(key: MediaKey, account?: string): Promise<StoredMedia | undefined>;
  /** Opens the bytes of a medium, or a range of them; throws media_not_found. */
  open(media: StoredMedia, range?: ByteRange): Promise<Readable>;
  /** Removes what nobody owns any more, and what was not used for longer than media are kept. */
  sweep(): Promise<void>;
}

/** What the library works with. */
export interface LibraryDependencies {
  readonly queries: Kysely<AnalysisTables>;
  readonly objects: ObjectStore;
  /** What one user may keep. */
  readonly share: StorageShare;
  /** Days for which a medium is kept that no session is about; 0: for ever. */
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

/** What a caller is told when the store of objects cannot be reached or is full. */
const lostStore = (cause: unknown) =>
  errors.service_unavailable({ cause, headers: { 'Retry-After': RETRY_AFTER } });

function refusal(refused: 'full' | 'busy'): Error {
  if (refused === 'busy') {
    const message = 'You are sending as many files as you may; try again when one has arrived.';
    return errors.rate_limited({ message, headers: { 'Retry-After': RETRY_AFTER } });
  }
  return errors.payload_too_large({ message: 'You have no room left for this file.' });
}

function mediaTypeOf({ mimeType, properties }: Arrival): StoredMedia['mediaType'] {
  const [type] = mimeType.split('/');
  if (type !== 'image' && type !== 'audio' && type !== 'video') throw errors.unsupported_media();
  // Sound and video share their containers: one without a picture is a sound.
  return type === 'video' && typeof properties !== 'string' && !properties.hasPicture ? 'audio' : type;
}

function mediaOf(arrival: Arrival): Omit<StoredMedia, 'createdAt'> {
  const { name, properties } = arrival;
  const mediaType = mediaTypeOf(arrival);
  const read = typeof properties === 'string' ? null : properties;
  return {
    mediaId: randomUUID(),
    account: arrival.account,
    bucket: name.bucket,
    objectKey: name.key,
    mediaType,
    mimeType: arrival.mimeType,
    fileName: arrival.fileName,
    sizeBytes: arrival.size,
    sha256: arrival.sha256,
    width: read?.width ?? null,
    height: read?.height ?? null,
    durationSec: mediaType === 'image' ? null : (read?.durationSec ?? null),
    unread: typeof properties === 'string' ? properties : null,
  };
}

/** Reads the headers of files, a few at a time; users take turns. */
function createReader({ objects, share }: LibraryDependencies) {
  const readers = createFairQueue({ ...READERS, each: share.arriving });
  return (account: string, name: ObjectName): Promise<MediaProperties | Unread> =>
    readers
      .run(account, () => objects.withFile(name, (path) => readProperties(path)))
      .catch((error: unknown): Unread => {
        if (error instanceof QueueFullError) return 'not_read';
        throw lostStore(error);
      });
}

/** Removes an object, and what the extractors may have drawn of it under its name. */
async function removeNow({ objects, queries }: LibraryDependencies, name: ObjectName): Promise<void> {
  for (const key of [...drawnKeys(name.key), name.key]) await objects.remove({ bucket: name.bucket, key });
  await forgetObject(queries, name);
}

async function discard(
  dependencies: LibraryDependencies,
  { name, release }: Pick<Arrival, 'name' | 'release'>,
): Promise<void> {
  release();
  try {
    await giveUpObject(dependencies.queries, name);
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
): Promise<Arrival> {
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
  const bytes = examined(content, room.bytes);
  try {
    await objects.put(name, bytes.content).catch((error: unknown) => {
      throw bytes.isOwn(error) ? error : lostStore(error);
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
  arrival: Arrival,
  { derivedFrom, shownIn }: Bond = {},
): Promise<StoredMedia> {
  try {
    const media = mediaOf(arrival);
    const stored = await dependencies.queries.transaction().execute(async (change) => {
      const kept = await insertMedia(change, media, derivedFrom);
      if (shownIn !== undefined && !(await showOnPage(change, shownIn, kept.mediaId)))
        throw errors.session_not_found();
      // The same bytes came before: this object stays nobody's, and goes.
      if (kept.mediaId !== media.mediaId) return kept;
      if (await endReservation(change, arrival.name)) return kept;
      throw errors.service_unavailable({ message: 'The file took too long to arrive; send it again.' });
    });
    if (stored.mediaId !== media.mediaId) await discard(dependencies, arrival);
    return stored;
  } catch (error) {
    await discard(dependencies, arrival);
    throw error;
  } finally {
    arrival.release();
  }
}

async function sweep(dependencies: LibraryDependencies): Promise<void> {
  const { queries, days } = dependencies;
  if (days > 0) await expireMedia(queries, days);
  for (;;) {
    const names = await takeUnowned(queries);
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
    keep: (arrival, bond) => keep(dependencies, arrival, bond),
    discard: (arrival) => discard(dependencies, arrival),
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
