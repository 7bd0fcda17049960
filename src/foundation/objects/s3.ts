import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { S3mini, S3ServiceError, type UploadPart } from 's3mini';
import { Agent, fetch as fetchBy } from 'undici';
import type { TemporaryFiles } from '../temporary-files.ts';
import { isObjectName, ObjectMissingError, type ObjectName, type ObjectStore } from './object-store.ts';

/** Where an S3 store is, and by which key it is used. */
export interface S3Place {
  /** The root of the server; the bucket is named in the path. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Bytes of one part of an upload: what is held in memory. S3 takes 5 MiB or more, and 10000 parts. */
const PART_BYTES = 8 * 1024 * 1024;
/** Longest waits in milliseconds: for a connection, for an answer, and for more of one. */
const WAITS = { connect: { timeout: 5_000 }, headersTimeout: 30_000, bodyTimeout: 30_000 };

/** The bytes of a stream in pieces of one part each; the last one may be shorter. */
async function* inParts(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (let piece of content) {
    while (size + piece.length >= PART_BYTES) {
      const taken = PART_BYTES - size;
      yield Buffer.concat([...pieces, piece.subarray(0, taken)]);
      piece = piece.subarray(taken);
      [pieces, size] = [[], 0];
    }
    pieces.push(piece);
    size += piece.length;
  }
  yield Buffer.concat(pieces);
}

/** Stores a content in one request. A store that does not name what it has stored has stored nothing. */
async function putWhole(client: S3mini, key: string, content: Buffer | string): Promise<void> {
  const { headers } = await client.putObject(key, content);
  if ((headers.get('etag') ?? '') === '') throw new Error('the S3 store did not say what it has stored');
}

/** Uploads a content of several parts, one after the other; a part that fails ends the upload and removes the others. */
async function putParts(
  client: S3mini,
  key: string,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): Promise<void> {
  const upload = await client.getMultipartUploadId(key);
  try {
    const parts: UploadPart[] = [await client.uploadPart(key, upload, first, 1)];
    for await (const part of rest)
      if (part.length > 0) parts.push(await client.uploadPart(key, upload, part, parts.length + 1));
    const { etag } = await client.completeMultipartUpload(key, upload, parts);
    // The server may answer 200 and say in the body that it could not.
    if (typeof etag !== 'string' || etag === '')
      throw new Error('the S3 store did not put the parts together');
  } catch (error) {
    await client.abortMultipartUpload(key, upload).catch(() => undefined);
    throw error;
  }
}

const isMissing = (error: unknown) => error instanceof S3ServiceError && error.status === 404;

function createS3Client({ endpoint, bucket, ...access }: S3Place): S3mini {
  const dispatcher = new Agent(WAITS);
  // The library calls with an address and plain options, which mean the same to both kinds of fetch.
  const fetch = ((address: string, options: object) =>
    fetchBy(address, { ...options, dispatcher })) as unknown as typeof globalThis.fetch;
  return new S3mini({ ...access, endpoint: `${endpoint.replace(/\/+$/, '')}/${bucket}`, fetch });
}

/**
 * Stores objects in one bucket of an S3 store, under `<bucket>/<key>` of their name. `lent` holds the local copies of objects that are
 * used as files.
 */
export function createS3Store(place: S3Place, lent: TemporaryFiles): ObjectStore {
  const client = createS3Client(place);
  const keyOf = (name: ObjectName) => {
    if (!isObjectName(name)) throw new ObjectMissingError(name);
    return `${name.bucket}/${name.key}`;
  };
  const open: ObjectStore['open'] = async (name, range) => {
    const key = keyOf(name);
    const answer = await client
      .getObjectRaw(key, range === undefined, range?.start, range === undefined ? undefined : range.end + 1)
      .catch((error: unknown) => {
        throw isMissing(error) ? new ObjectMissingError(name) : error;
      });
    if (answer.body === null) return Readable.from([]);
    // It may break off before it is read, and an unhandled error event ends the process.
    return Readable.fromWeb(answer.body as ReadableStream).on('error', () => undefined);
  };
  return {
    put: async (name, content) => {
      const key = keyOf(name);
      const parts = inParts(content);
      const first = (await parts.next()).value ?? Buffer.alloc(0);
      if (first.length < PART_BYTES) await putWhole(client, key, first);
      else await putParts(client, key, first, parts);
    },
    open,
    withFile: async (name, use) => {
      const file = await lent.store({ content: await open(name), fileName: undefined });
      try {
        return await use(file.path);
      } finally {
        await lent.discard(file);
      }
    },
    remove: async (name) => {
      await client.deleteObject(keyOf(name)).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    },
    probe: async () => {
      const key = `probe/${randomUUID()}`;
      await putWhole(client, key, 'x');
      await client.deleteObject(key);
    },
    close: lent.close,
  };
}
