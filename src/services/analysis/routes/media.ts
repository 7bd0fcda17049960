import type { z } from 'zod';
import type { FileSink, OutgoingBytes } from '../../../foundation/payloads.ts';
import type { Handlers } from '../../../foundation/service.ts';
import type { UnreadReason } from '../../../media/properties.ts';
import type { mediaOperations } from '../contract/media.ts';
import { errors } from '../errors.ts';
import type { MediaLibrary, ReceivedContent } from '../media/library.ts';
import type { MediaAddresses } from '../media/media-addresses.ts';
import { type Reason, reasonFields } from '../reasons.ts';
import type { downloadRequest } from '../resources/media.ts';
import { type MediaKey, type StoredMedia, sessionsOfMedia } from '../store/media.ts';
import type { Queries } from '../store/tables.ts';
import { accountOfCaller, callerOf } from './pipeline-dependencies.ts';

/** What the operations on media work with. */
export interface MediaDependencies {
  readonly queries: Queries;
  readonly library: MediaLibrary;
  readonly addresses: MediaAddresses;
  readonly largestUpload: () => number;
}

/** Types that browsers may display inline, since they cannot carry scripts; all others are downloaded. */
const SHOWN_TYPES = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|audio\/.+|video\/.+)$/;

/** Bytes of a multipart body beside its file, subtracted from the declared length. */
const PARTS_BYTES = 64 * 1024;

const UNREAD: { readonly [Why in UnreadReason]: Reason } = {
  reader_missing: { code: 'media_reader_missing', values: {} },
  not_read: { code: 'media_not_read', values: {} },
};

/** Where the files of an upload go. */
function sinkOf(library: MediaLibrary, account: string): FileSink<ReceivedContent> {
  return {
    store: ({ content, fileName, mostBytes, declaredBytes }) =>
      library.receive(account, {
        content,
        fileName,
        mostBytes,
        leastBytes: Math.max(1, (declaredBytes ?? 0) - PARTS_BYTES),
      }),
    discard: (arrival) => library.discard(arrival),
  };
}

/** A medium as its owner sees it. */
async function mediaAnswer({ queries, addresses }: MediaDependencies, media: StoredMedia) {
  return {
    media_id: media.mediaId,
    bucket: media.bucket,
    object_key: media.objectKey,
    media_url: addresses.of(media),
    media_type: media.mediaType,
    mime_type: media.mimeType,
    size_bytes: media.sizeBytes,
    sha256: media.sha256,
    width: media.width,
    height: media.height,
    duration_sec: media.durationSec,
    unread: media.unread === null ? null : reasonFields(UNREAD[media.unread]),
    created_at: media.createdAt.toISOString(),
    existing_session_ids: await sessionsOfMedia(queries, media.mediaId),
  };
}

/** The caller's medium; throws media_not_found also for media of others. */
async function ownMedia(
  { library }: MediaDependencies,
  account: string,
  key: MediaKey | undefined,
): Promise<StoredMedia> {
  const media = key === undefined ? undefined : await library.find(key, account);
  if (media === undefined) throw errors.media_not_found();
  return media;
}

function fileOf({ library }: MediaDependencies, media: StoredMedia): OutgoingBytes {
  return {
    mediaType: media.mimeType,
    size: media.sizeBytes,
    etag: media.sha256,
    modified: media.createdAt,
    ...(media.fileName !== null && { fileName: media.fileName }),
    disposition: SHOWN_TYPES.test(media.mimeType) ? 'inline' : 'attachment',
    open: (range) => library.open(media, range),
  };
}

/** The medium that a request for a download address names. */
function keyOf(
  { addresses }: MediaDependencies,
  body: z.output<typeof downloadRequest>,
): MediaKey | undefined {
  if (body.media_id !== undefined) return { mediaId: body.media_id };
  if (body.media_url !== undefined) return addresses.read(body.media_url);
  return { bucket: body.bucket ?? '', objectKey: body.object_key ?? '' };
}

/** The handlers of the operations on media. */
export function mediaRoutes(dependencies: MediaDependencies): Handlers<typeof mediaOperations> {
  const { library, addresses, largestUpload } = dependencies;
  return {
    uploadMedia: async ({ body }, call) => {
      const account = accountOfCaller(callerOf(call));
      const { files } = await body.receive(sinkOf(library, account), { maxFileBytes: largestUpload() });
      const media = await library.keep(files.file);
      return { success: true, data: await mediaAnswer(dependencies, media) };
    },
    mediaDownloadAddress: async ({ body }, call) => {
      const media = await ownMedia(dependencies, accountOfCaller(callerOf(call)), keyOf(dependencies, body));
      const expiresAt = new Date(Math.floor(Date.now() / 1000 + body.expires_in_sec) * 1000);
      const data = {
        download_url: await addresses.signed(media, expiresAt),
        expires_at: expiresAt.toISOString(),
        mime_type: media.mimeType,
        size_bytes: media.sizeBytes,
      };
      return { success: true, data };
    },
    mediaDownload: async ({ params: { mediaId }, query }) =>
      fileOf(dependencies, await addresses.check(await library.find({ mediaId }), query)),
    mediaFile: async ({ params }, call) => {
      const key = { bucket: params.bucket, objectKey: params.objectKey };
      return fileOf(dependencies, await ownMedia(dependencies, accountOfCaller(callerOf(call)), key));
    },
  };
}
