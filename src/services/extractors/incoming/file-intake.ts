import { Readable } from 'node:stream';
import { Failure } from '../../../foundation/errors.ts';
import { SNIFFED_BYTES } from '../../../foundation/media-type.ts';
import { ObjectMissingError, type ObjectStore } from '../../../foundation/objects/object-store.ts';
import type { FileSink } from '../../../foundation/payloads.ts';
import type { TemporaryFiles } from '../../../foundation/temporary-files.ts';
import { errors } from '../errors.ts';
import { checkSize, kindOf, type MediaFile, mediaFileAt, pictureOf, type SizeLimits } from './media-file.ts';

/** A file in a JSON request: its bytes in Base64, or a stored object. */
export interface FileReference {
  readonly data?: string | undefined;
  readonly object?: { readonly bucket: string; readonly object_key: string } | undefined;
}

/** Receives files from requests and from the object store. */
export interface FileIntake {
  /** Receives the file of a form: a picture into memory, anything else into a temporary file. */
  readonly sink: FileSink<MediaFile>;
  /** Opens the referenced file until `use` ends. Throws failures of the error table. */
  withReferencedFile<Result>(
    named: FileReference,
    use: (medium: MediaFile) => Promise<Result>,
  ): Promise<Result>;
}

/** The first bytes, enough to detect the type, and the rest of the content. */
async function startOf(content: AsyncIterable<Buffer>) {
  const rest = content[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < SNIFFED_BYTES) {
    const { value, done } = await rest.next();
    if (done === true) break;
    chunks.push(value);
    length += value.length;
  }
  return { start: Buffer.concat(chunks), rest };
}

async function* concatenated(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield start;
  for (;;) {
    const { value, done } = await rest.next();
    if (done === true) return;
    yield value;
  }
}

/** The same bytes; throws payload_too_large as soon as there are too many. */
async function* withinLimits(
  content: AsyncIterable<Buffer>,
  kind: MediaFile['kind'],
  limits: SizeLimits,
): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const chunk of content) {
    length += chunk.length;
    checkSize(kind, length, limits);
    yield chunk;
  }
}

async function inMemory(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Creates the intake of files from requests and from the object store. */
export function createFileIntake(
  objects: ObjectStore,
  files: TemporaryFiles,
  limits: SizeLimits,
): FileIntake {
  const discard = async ({ path }: Pick<MediaFile, 'path'>) => {
    if (path !== undefined) await files.discard({ path });
  };
  const take = async (content: AsyncIterable<Buffer>): Promise<MediaFile> => {
    const { start, rest } = await startOf(content);
    const { kind, mimeType } = await kindOf(start);
    const whole = withinLimits(concatenated(start, rest), kind, limits);
    if (kind === 'image') return pictureOf(await inMemory(whole), mimeType);
    const { path, bytes, sha256 } = await files.store({ content: whole, fileName: undefined });
    return { kind, mimeType, sizeBytes: bytes, sha256, bytes: undefined, path };
  };
  const withData = async <Result>(data: string, use: (medium: MediaFile) => Promise<Result>) => {
    const medium = await take(Readable.from([Buffer.from(data, 'base64')]));
    try {
      return await use(medium);
    } finally {
      await discard(medium);
    }
  };
  return {
    sink: { store: ({ content }) => take(content), discard },
    withReferencedFile: async ({ data, object }, use) => {
      if (data !== undefined) return withData(data, use);
      if (object === undefined) throw errors.validation_failed();
      const name = { bucket: object.bucket, key: object.object_key };
      let isLent = false;
      try {
        return await objects.withFile(name, async (path) => {
          const medium = await mediaFileAt(path, limits);
          isLent = true;
          return use(medium);
        });
      } catch (error) {
        if (error instanceof ObjectMissingError) throw errors.media_not_found({ cause: error });
        throw isLent || error instanceof Failure ? error : errors.service_unavailable({ cause: error });
      }
    },
  };
}
