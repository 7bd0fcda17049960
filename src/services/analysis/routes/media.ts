import { createHash, randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Kysely } from 'kysely';
import { SNIFFED_BYTES, typeOfBytes } from '../../../foundation/media-type.ts';
import type { FileSink, IncomingFile, OutgoingBytes } from '../../../foundation/payloads.ts';
import type { Handlers } from '../../../foundation/service.ts';
import type { mediaOperations } from '../contract/media.ts';
import { errors } from '../errors.ts';
import {
  isObjectName,
  ObjectMissingError,
  type ObjectName,
  type ObjectStore,
} from '../objects/object-store.ts';
import {
  findMediaByName,
  findMediaBySha256,
  insertMedia,
  type StoredMedia,
  sessionsOfMedia,
} from '../store/media.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { callerOf, ownAccount } from './pipeline-dependencies.ts';

/** What the operations on media work with. */
export interface MediaDependencies {
  readonly queries: Kysely<AnalysisTables>;
  readonly objects: ObjectStore;
  readonly largestUpload: number;
  readonly publicUrl: string;
  /** Path prefix under which callers reach this service. */
  readonly prefix: string;
}

const BUCKET = 'media';

/** Types that a browser may show by itself: none of them can carry a program. All others are saved. */
const SHOWN_TYPES = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|audio\/.+|video\/.+)$/;

/** A file that has arrived: an object without a row yet. */
interface ArrivedFile {
  readonly name: ObjectName;
  readonly size: number;
  readonly sha256: string;
  readonly mimeType: string;
  readonly fileName: string | null;
}

/** Stores a file while its size, its digest and its first bytes are read off. */
async function storeFile(objects: ObjectStore, { content, fileName }: IncomingFile): Promise<ArrivedFile> {
  const name = { bucket: BUCKET, key: `${new Date().toISOString().slice(0, 10)}/${randomUUID()}` };
  const hash = createHash('sha256');
  let size = 0;
  let start = Buffer.alloc(0);
  const through = new PassThrough();
  const reading = pipeline(
    content,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        size += chunk.length;
        if (start.length < SNIFFED_BYTES) start = Buffer.concat([start, chunk]);
        yield chunk;
      }
    },
    through,
  );
  // Each ends the other when it fails, and both are waited for, so that nothing is left behind.
  const storing = objects.put(name, through).catch((error: Error) => {
    content.destroy(error);
    throw error;
  });
  for (const outcome of await Promise.allSettled([reading, storing]))
    if (outcome.status === 'rejected') throw outcome.reason;
  const mimeType = await typeOfBytes(start);
  return { name, size, sha256: hash.digest('hex'), mimeType, fileName: fileName ?? null };
}

/** Where the files of an upload go. */
function sinkOf(objects: ObjectStore): FileSink<ArrivedFile> {
  return {
    store: (file) => storeFile(objects, file),
    discard: ({ name }) => objects.remove(name),
  };
}

function mediaTypeOf(mimeType: string): StoredMedia['mediaType'] {
  const [type] = mimeType.split('/');
  if (type === 'image' || type === 'audio' || type === 'video') return type;
  throw errors.unsupported_media();
}

/** Makes an object the user's medium; bytes that the user has already are not kept twice. */
async function keep(
  { queries, objects }: MediaDependencies,
  account: string,
  { name, size, sha256, mimeType, fileName }: ArrivedFile,
): Promise<StoredMedia> {
  const media = {
    mediaId: randomUUID(),
    bucket: name.bucket,
    objectKey: name.key,
    mediaType: mediaTypeOf(mimeType),
    mimeType,
    fileName,
    sizeBytes: size,
    sha256,
  };
  const stored = await insertMedia(queries, account, media);
  if (stored !== undefined) return stored;
  const earlier = await findMediaBySha256(queries, account, sha256);
  if (earlier === undefined) throw new Error('a medium is there and cannot be read');
  await objects.remove(name);
  return earlier;
}

async function upload(
  dependencies: MediaDependencies,
  account: string,
  file: ArrivedFile,
): Promise<StoredMedia> {
  try {
    return await keep(dependencies, account, file);
  } catch (error) {
    await dependencies.objects.remove(file.name);
    throw error;
  }
}

/** A medium as its owner sees it. */
async function mediaAnswer(
  { queries, publicUrl, prefix }: MediaDependencies,
  account: string,
  media: StoredMedia,
) {
  const path = `/api/v3/media/file/${media.bucket}/${media.objectKey}`;
  return {
    media_id: media.mediaId,
    bucket: media.bucket,
    object_key: media.objectKey,
    media_url: `${publicUrl}${prefix}${path}`,
    media_type: media.mediaType,
    mime_type: media.mimeType,
    size_bytes: media.sizeBytes,
    sha256: media.sha256,
    width: null,
    height: null,
    duration_sec: null,
    created_at: media.createdAt.toISOString(),
    existing_session_ids: await sessionsOfMedia(queries, account, path),
  };
}

async function fileOf(
  { queries, objects }: MediaDependencies,
  account: string,
  name: ObjectName,
): Promise<OutgoingBytes> {
  const media = isObjectName(name)
    ? await findMediaByName(queries, account, name.bucket, name.key)
    : undefined;
  if (media === undefined) throw errors.media_not_found();
  return {
    mediaType: media.mimeType,
    size: media.sizeBytes,
    etag: media.sha256,
    modified: media.createdAt,
    ...(media.fileName !== null && { fileName: media.fileName }),
    disposition: SHOWN_TYPES.test(media.mimeType) ? 'inline' : 'attachment',
    open: (range) =>
      objects.open(name, range).catch((error: unknown) => {
        throw error instanceof ObjectMissingError ? errors.media_not_found({ cause: error }) : error;
      }),
  };
}

/** The handlers of the operations on media. */
export function mediaRoutes(dependencies: MediaDependencies): Handlers<typeof mediaOperations> {
  const { objects, largestUpload } = dependencies;
  return {
    uploadMedia: async ({ body }, call) => {
      const account = ownAccount(callerOf(call));
      const { files } = await body.receive(sinkOf(objects), { maxFileBytes: largestUpload });
      const media = await upload(dependencies, account, files.file);
      return { success: true, data: await mediaAnswer(dependencies, account, media) };
    },
    mediaFile: ({ params }, call) => {
      const name = { bucket: params.bucket, key: params.objectKey };
      return fileOf(dependencies, ownAccount(callerOf(call)), name);
    },
  };
}
