import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDiskStore } from '../../../../src/services/analysis/objects/disk.ts';
import {
  isObjectName,
  ObjectMissingError,
  type ObjectStore,
} from '../../../../src/services/analysis/objects/object-store.ts';

let folder: string;
let store: ObjectStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limpede-objects-'));
  store = createDiskStore(join(folder, 'objects'));
});
afterAll(() => rm(folder, { recursive: true }));

const name = (key: string) => ({ bucket: 'media', key });
const put = (key: string, text: string) => store.put(name(key), Readable.from([Buffer.from(text)]));
async function read(key: string, range?: { start: number; end: number }): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of await store.open(name(key), range)) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;

describe('the disk store', () => {
  it('gives back what was put, whole or a range of it', async () => {
    await put('2026-01-02/a', 'abcdefghij');
    expect(await read('2026-01-02/a')).toBe('abcdefghij');
    expect(await read('2026-01-02/a', { start: 2, end: 4 })).toBe('cde');
    await put('2026-01-02/a', 'other');
    expect(await read('2026-01-02/a')).toBe('other');
    await store.probe(AbortSignal.timeout(1000));
  });

  it('keeps nothing of a content that breaks off', async () => {
    const before = await files();
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('half');
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

  it('is unhealthy where nothing can be written', async () => {
    const file = createDiskStore(join(folder, 'objects', 'media', '2026-01-02', 'a'));
    await expect(file.probe(AbortSignal.timeout(1000))).rejects.toThrow();
  });
});
