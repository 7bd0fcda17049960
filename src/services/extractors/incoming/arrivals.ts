import { Readable } from 'node:stream';
import { Failure } from '../../../foundation/errors.ts';
import { SNIFFED_BYTES } from '../../../foundation/media-type.ts';
import { ObjectMissingError, type ObjectStore } from '../../../foundation/objects/object-store.ts';
import type { FileSink } from '../../../foundation/payloads.ts';
import type { TemporaryFiles } from '../../../foundation/temporary-files.ts';
import { errors } from '../errors.ts';
import { checkSize, kindOf, type Medium, mediumAt, pictureOf, type SizeLimits } from './medium.ts';

/** Where a file is that came with a request, or is named by it. */
export interface Named {
  readonly data?: string | undefined;
  readonly object?: { readonly bucket: string; readonly object_key: string } | undefined;
}

/** Brings files in. */
export interface Arrivals {
  /** Takes the file of a form in as it arrives: a picture into memory, anything else into a file of its own. */
  readonly sink: FileSink<Medium>;
  /** Lends the file that JSON holds or names for as long as `use` takes. Throws failures of the table. */
  withNamed<Result>(named: Named, use: (medium: Medium) => Promise<Result>): Promise<Result>;
}

/** What has come of a file until its kind is known, and the rest of it. */
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

async function* joined(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield start;
  for (;;) {
    const { value, done } = await rest.next();
    if (done === true) return;
    yield value;
  }
}

/** The same bytes; throws payload_too_large as soon as there are too many. */
async function* checked(
  content: AsyncIterable<Buffer>,
  kind: Medium['kind'],
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

/** Brings files in from requests and from the store of objects. */
export function createArrivals(objects: ObjectStore, files: TemporaryFiles, limits: SizeLimits): Arrivals {
  const discard = async ({ path }: Pick<Medium, 'path'>) => {
    if (path !== undefined) await files.discard({ path });
  };
  const take = async (content: AsyncIterable<Buffer>): Promise<Medium> => {
    const { start, rest } = await startOf(content);
    const { kind, mimeType } = await kindOf(start);
    const whole = checked(joined(start, rest), kind, limits);
    if (kind === 'image') return pictureOf(await inMemory(whole), mimeType);
    const { path, bytes, sha256 } = await files.store({ content: whole, fileName: undefined });
    return { kind, mimeType, sizeBytes: bytes, sha256, bytes: undefined, path };
  };
  const withData = async <Result>(data: string, use: (medium: Medium) => Promise<Result>) => {
    const medium = await take(Readable.from([Buffer.from(data, 'base64')]));
    try {
      return await use(medium);
    } finally {
      await discard(medium);
    }
  };
  return {
    sink: { store: ({ content }) => take(content), discard },
    withNamed: async ({ data, object }, use) => {
      if (data !== undefined) return withData(data, use);
      if (object === undefined) throw errors.validation_failed();
      const name = { bucket: object.bucket, key: object.object_key };
      let isLent = false;
      try {
        return await objects.withFile(name, async (path) => {
          const medium = await mediumAt(path, limits);
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
