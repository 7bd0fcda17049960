import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { SNIFFED_BYTES, typeOfBytes } from '../../../foundation/media-type.ts';
import { DECODED_TYPES } from '../../../media/image/decoder.ts';
import { errors } from '../errors.ts';

/** A file that is here, and what it is by its bytes. */
export interface MediaFile {
  readonly kind: 'image' | 'audio' | 'video';
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** A picture is held in memory, whose limits bound it; sounds and videos stay files. */
  readonly bytes: Buffer | undefined;
  /** Where a sound or a video is; undefined for a picture. */
  readonly path: string | undefined;
}

/** Files that are read, by their bytes; documents, drawings that are programs, and lists of other files are not among them. */
const READ = new Set([
  ...DECODED_TYPES,
  ...['image/heic', 'image/heif'],
  ...[
    'audio/wav',
    'audio/mpeg',
    'audio/flac',
    'audio/ogg',
    'audio/opus',
    'audio/mp4',
    'audio/aac',
    'audio/aiff',
    'audio/amr',
  ],
  ...[
    'video/mp4',
    'video/quicktime',
    'video/webm',
    'video/matroska',
    'video/x-matroska',
    'video/mpeg',
    'video/mp1s',
    'video/mp2p',
    'video/mp2t',
    'video/ogg',
    'video/avi',
    'video/x-msvideo',
    'video/vnd.avi',
    'video/3gpp',
    'video/x-m4v',
  ],
]);

/** What a file is by its first bytes; throws unsupported_media. */
export async function kindOf(start: Buffer): Promise<Pick<MediaFile, 'kind' | 'mimeType'>> {
  const mimeType = await typeOfBytes(start.subarray(0, SNIFFED_BYTES));
  if (!READ.has(mimeType)) throw errors.unsupported_media();
  return { kind: mimeType.slice(0, 5) as MediaFile['kind'], mimeType };
}

/** Most bytes of a picture, and of another file. */
export interface SizeLimits {
  readonly picture: number;
  readonly file: number;
}

/** Throws payload_too_large. */
export function checkSize(kind: MediaFile['kind'], bytes: number, limits: SizeLimits): void {
  if (bytes > (kind === 'image' ? limits.picture : limits.file)) throw errors.payload_too_large();
}

/** A picture whose bytes are here. */
export async function pictureOf(bytes: Buffer, mimeType: string): Promise<MediaFile> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { kind: 'image', mimeType, sizeBytes: bytes.length, sha256, bytes, path: undefined };
}

/** A file that lies on this machine. Throws unsupported_media or payload_too_large. */
export async function mediaFileAt(path: string, limits: SizeLimits): Promise<MediaFile> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let start = Buffer.alloc(0);
  let detected: Awaited<ReturnType<typeof kindOf>> | undefined;
  for await (const chunk of createReadStream(path)) {
    sizeBytes += (chunk as Buffer).length;
    hash.update(chunk as Buffer);
    if (start.length < SNIFFED_BYTES) start = Buffer.concat([start, chunk as Buffer]);
    if (detected === undefined && start.length >= SNIFFED_BYTES) detected = await kindOf(start);
    if (detected !== undefined) checkSize(detected.kind, sizeBytes, limits);
  }
  detected ??= await kindOf(start);
  checkSize(detected.kind, sizeBytes, limits);
  const isPicture = detected.kind === 'image';
  return {
    ...detected,
    sizeBytes,
    sha256: hash.digest('hex'),
    bytes: isPicture ? await readFile(path) : undefined,
    path: isPicture ? undefined : path,
  };
}
