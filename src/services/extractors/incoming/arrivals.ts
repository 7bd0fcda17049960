import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../../foundation/errors.ts';
import { SNIFFED_BYTES } from '../../../foundation/media-type.ts';
import { ObjectMissingError, type ObjectStore } from '../../../foundation/objects/object-store.ts';
import type { FileSink, IncomingFile } from '../../../foundation/payloads.ts';
import { errors } from '../errors.ts';
import { checkSize, kindOf, type Medium, mediumAt, pictureOf, type SizeLimits } from './medium.ts';
import type { Workplace } from './workplace.ts';

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

async function inMemory(content: AsyncIterable<Buffer>, limits: SizeLimits): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of content) {
    chunks.push(chunk);
    length += chunk.length;
    checkSize('image', length, limits);
  }
  return Buffer.concat(chunks);
}

/** Brings files in from requests and from the store of objects. */
export function createArrivals(objects: ObjectStore, workplace: Workplace, limits: SizeLimits): Arrivals {
  const discard = async ({ path }: Pick<Medium, 'path'>) => {
    if (path !== undefined) await workplace.remove(path);
  };
  const store = async ({ content }: IncomingFile): Promise<Medium> => {
    const { start, rest } = await startOf(content as AsyncIterable<Buffer>);
    const { kind, mimeType } = await kindOf(start);
    const whole = joined(start, rest);
    if (kind === 'image') return pictureOf(await inMemory(whole, limits), mimeType);
    const path = await workplace.path();
    try {
      await pipeline(whole, createWriteStream(path, { mode: 0o600 }));
      return await mediumAt(path, limits);
    } catch (error) {
      await workplace.remove(path);
      throw error;
    }
  };
  const withData = async <Result>(data: string, use: (medium: Medium) => Promise<Result>) => {
    const bytes = Buffer.from(data, 'base64');
    const { kind, mimeType } = await kindOf(bytes);
    checkSize(kind, bytes.length, limits);
    if (kind === 'image') return use(await pictureOf(bytes, mimeType));
    const path = await workplace.path();
    try {
      await writeFile(path, bytes, { mode: 0o600 });
      return await use(await mediumAt(path, limits));
    } finally {
      await workplace.remove(path);
    }
  };
  return {
    sink: { store, discard },
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
