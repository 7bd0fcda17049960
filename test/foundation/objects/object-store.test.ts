import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDiskStore } from '../../../src/foundation/objects/disk.ts';
import {
  isObjectName,
  ObjectMissingError,
  type ObjectStore,
} from '../../../src/foundation/objects/object-store.ts';
import { createS3Store, type S3Place } from '../../../src/foundation/objects/s3.ts';
import { openTemporaryFiles } from '../../../src/foundation/temporary-files.ts';
import { pause, until } from '../../patience.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

const placeOf = ({ endpoint }: S3Server, more: Partial<S3Place> = {}): S3Place => ({
  endpoint: `${endpoint}/`,
  bucket: 'limpede',
  region: 'us-east-1',
  accessKeyId: 'S3RVER',
  secretAccessKey: 'S3RVER',
  ...more,
});

const lent = mkdtempSync(join(tmpdir(), 'limpede-lent-'));
afterAll(() => rm(lent, { recursive: true }));
const openStore = (place: S3Place) => createS3Store(place, openTemporaryFiles(lent));

/** A store under test, with the folder in which its bytes come to lie. */
interface Opened {
  readonly store: ObjectStore;
  readonly folder: string;
  close(): Promise<void>;
}

async function openDisk(): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'limpede-objects-'));
  return {
    store: createDiskStore(join(folder, 'objects')),
    folder,
    close: () => rm(folder, { recursive: true }),
  };
}

async function openS3(): Promise<Opened> {
  const server = await startS3Server();
  return { store: openStore(placeOf(server)), folder: server.folder, close: server.remove };
}

const name = (key: string) => ({ bucket: 'media', key });

describe.each([
  ['disk', openDisk],
  ['S3', openS3],
])('the store on %s', (_kind, open) => {
  let opened: Opened;
  let store: ObjectStore;
  beforeAll(async () => {
    opened = await open();
    ({ store } = opened);
  });
  afterAll(() => opened?.close());

  const put = (key: string, text: string) => store.put(name(key), Readable.from([Buffer.from(text)]));
  async function bytesOf(key: string, range?: { start: number; end: number }): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of await store.open(name(key), range)) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  }
  const read = async (key: string, range?: { start: number; end: number }) =>
    (await bytesOf(key, range)).toString();
  // The S3 server of the tests does not know how to end an upload: its parts stay beside the objects.
  const files = async () =>
    (await readdir(opened.folder, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && !entry.parentPath.includes('uploads'),
    ).length;

  it('gives back what was put, whole or a range of it', async () => {
    await put('2026-01-02/a', 'abcdefghij');
    expect(await read('2026-01-02/a')).toBe('abcdefghij');
    expect(await read('2026-01-02/a', { start: 2, end: 4 })).toBe('cde');
    expect(await read('2026-01-02/a', { start: 9, end: 9 })).toBe('j');
    await put('2026-01-02/a', 'other');
    expect(await read('2026-01-02/a')).toBe('other');
    await put('empty', '');
    expect(await read('empty')).toBe('');
  });

  it('takes a content of many pieces as it comes, and never holds it whole', async () => {
    const piece = 999_983;
    const hash = createHash('sha256');
    let made = 0;
    const content = (function* () {
      for (let count = 0; count < 30; count++) {
        const bytes = Buffer.alloc(piece, count);
        made += bytes.length;
        hash.update(bytes);
        yield bytes;
      }
    })();
    await store.put(name('large'), Readable.from(content));
    expect(made).toBe(30 * piece);
    const whole = createHash('sha256');
    let size = 0;
    for await (const chunk of await store.open(name('large'))) {
      size += (chunk as Buffer).length;
      whole.update(chunk as Buffer);
    }
    expect([size, whole.digest('hex')]).toEqual([made, hash.digest('hex')]);
    // Across the border of two parts.
    const middle = await bytesOf('large', { start: 8_388_600, end: 8_388_620 });
    expect(middle).toEqual(Buffer.alloc(21, Math.floor(8_388_600 / piece)));
  });

  it('lends an object as a file, and takes it back', async () => {
    await put('lent', 'bytes');
    let path = '';
    const text = await store.withFile(name('lent'), async (lentAt) => {
      path = lentAt;
      return readFile(path, 'utf8');
    });
    expect([text, await read('lent')]).toEqual(['bytes', 'bytes']);
    await expect(store.withFile(name('nowhere'), async () => 1)).rejects.toBeInstanceOf(ObjectMissingError);
    await expect(store.withFile(name('lent'), () => Promise.reject(new Error('use failed')))).rejects.toThrow(
      'use failed',
    );
    if (!path.startsWith(opened.folder)) await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  it.each([
    ['at once', 10],
    ['after some parts', 20_000_000],
  ])('keeps nothing of a content that breaks off %s', async (_when, size) => {
    const before = await files();
    const broken = Readable.from(
      (async function* () {
        yield Buffer.alloc(size);
        throw new Error('left');
      })(),
    );
    await expect(store.put(name('broken'), broken)).rejects.toThrow('left');
    await expect(read('broken')).rejects.toBeInstanceOf(ObjectMissingError);
    expect(await files()).toBe(before);
  });

  it('removes, and finds nothing afterwards', async () => {
    await put('gone', 'x');
    await store.remove(name('gone'));
    await store.remove(name('gone'));
    await expect(read('gone')).rejects.toBeInstanceOf(ObjectMissingError);
    await expect(read('never/there')).rejects.toBeInstanceOf(ObjectMissingError);
  });

  it('is healthy when something can be stored, and leaves nothing of the trial', async () => {
    const before = await files();
    await store.probe(AbortSignal.timeout(10_000));
    expect(await files()).toBe(before);
  });

  it.each([
    '../a',
    'a/../../b',
    '.arriving',
    'a//b',
    '',
    '/etc/passwd',
    'a\\..\\b',
    'a/.hidden',
    'a\0b',
    '%2e%2e/a',
  ])('knows no object %j', async (key) => {
    expect(isObjectName(name(key))).toBe(false);
    await expect(read(key)).rejects.toBeInstanceOf(ObjectMissingError);
    await expect(put(key, 'x')).rejects.toBeInstanceOf(ObjectMissingError);
  });
});

it('a disk on which nothing can be written is unhealthy', async () => {
  const { store, folder, close } = await openDisk();
  await store.put(name('a'), Readable.from([Buffer.from('x')]));
  const inFile = createDiskStore(join(folder, 'objects', 'media', 'a'));
  await expect(inFile.probe(AbortSignal.timeout(1000))).rejects.toThrow();
  await close();
});

it('an S3 store is told to forget the parts of an upload that breaks off', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      asked.push(`${request.method} ${request.url}`);
      response.setHeader('content-type', 'application/xml').setHeader('etag', '"1"');
      response.end('<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const store = openStore(placeOf({ endpoint: `http://127.0.0.1:${port}` } as S3Server));
  const broken = (async function* () {
    yield Buffer.alloc(9_000_000);
    throw new Error('left');
  })();
  await expect(store.put(name('a'), Readable.from(broken))).rejects.toThrow('left');
  expect(asked.map((line) => line.replace('/limpede/media/a', ''))).toEqual([
    'POST ?uploads=',
    'PUT ?partNumber=1&uploadId=u1',
    'DELETE ?uploadId=u1',
  ]);
  server.close();
});

it('an object of an S3 store that breaks off fails its reader, and nothing else before it is read', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': '1000000' });
    response.write(Buffer.alloc(1000));
    setImmediate(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const store = openStore(placeOf({ endpoint: `http://127.0.0.1:${port}` } as S3Server));
  const content = await store.open(name('a'));
  await until(() => content.destroyed || content.readableLength > 0);
  await pause(50);
  await expect(content.toArray()).rejects.toThrow();
  server.close();
});

it('an S3 store that answers everything and stores nothing is unhealthy, and takes nothing', async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{"ok":true}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const store = openStore(placeOf({ endpoint: `http://127.0.0.1:${port}` } as S3Server));
  await expect(store.probe(AbortSignal.timeout(10_000))).rejects.toThrow('did not say');
  for (const size of [10, 9_000_000])
    await expect(store.put(name('a'), Readable.from([Buffer.alloc(size)]))).rejects.toThrow();
  server.close();
});

describe('an S3 store', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server?.remove());
  const signal = AbortSignal.timeout(60_000);

  it('is unhealthy with a wrong key, and without its bucket', async () => {
    for (const more of [{ secretAccessKey: 'wrong' }, { bucket: 'another' }])
      await expect(openStore(placeOf(server, more)).probe(signal)).rejects.toThrow(/S3 returned 40[34]/);
  });

  it('is unhealthy while its server is away, and healthy again with it', async () => {
    const store = openStore(placeOf(server));
    await store.put(name('kept'), Readable.from([Buffer.from('kept')]));
    await server.kill();
    await expect(store.probe(signal)).rejects.toThrow();
    await expect(store.open(name('kept'))).rejects.not.toBeInstanceOf(ObjectMissingError);
    await server.start();
    await store.probe(signal);
    expect(Buffer.concat(await (await store.open(name('kept'))).toArray()).toString()).toBe('kept');
  });
});
