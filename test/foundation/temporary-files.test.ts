import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { openTemporaryFiles } from '../../src/foundation/temporary-files.ts';
import { filesBelow } from '../files-below.ts';

const root = mkdtempSync(join(tmpdir(), 'limpede-temporary-'));
afterAll(() => rmSync(root, { recursive: true }));

const incoming = (...parts: string[]) => ({
  fileName: 'a.txt',
  content: Readable.from(parts.map((part) => Buffer.from(part))),
});
describe('a file that comes with a request', () => {
  it('is kept until it is discarded, for its owner alone', async () => {
    const folder = join(root, 'deep', 'kept');
    const files = openTemporaryFiles(folder);
    const file = await files.store(incoming('Some ', 'words.'));
    expect(readFileSync(file.path, 'utf8')).toBe('Some words.');
    expect(file).toMatchObject({ bytes: 11, mimeType: 'text/plain', fileName: 'a.txt' });
    expect(file.sha256).toMatch(/^[\da-f]{64}$/);
    expect([statSync(file.path).mode & 0o077, statSync(dirname(file.path)).mode & 0o077]).toEqual([0, 0]);
    await files.discard(file);
    expect(filesBelow(folder)).toEqual([]);
  });

  it('leaves nothing when its sender leaves, and nothing when its process ends in order', async () => {
    const folder = join(root, 'left');
    const files = openTemporaryFiles(folder);
    const content = new Readable({
      read() {
        this.push('begun');
        this.destroy(new Error('left'));
      },
    });
    await expect(files.store({ content, fileName: undefined })).rejects.toThrow('left');
    expect(filesBelow(folder)).toEqual([]);
    await files.store(incoming('x'));
    await files.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the room of a process', () => {
  /** A folder below `place` as a process had it whose identity differs from this one in `part`, with a file in it. */
  async function leftBy(place: string, part: number, value: string): Promise<string> {
    const files = openTemporaryFiles(place);
    const { path } = await files.store(incoming('x'));
    const parts = basename(dirname(path)).split('~');
    parts[part] = value;
    const other = join(place, parts.join('~'));
    renameSync(dirname(path), other);
    return other;
  }

  it.each([
    ['of a killed process is removed at the next start', 1, String(2 ** 30), false],
    ['goes with its process, though another got its number', 2, '1', false],
    ['stays while its process lives', 3, 'another', true],
    ['of another machine stays', 0, 'elsewhere', true],
  ])('%s', async (_what, part, value, stays) => {
    const place = mkdtempSync(join(root, 'room-'));
    const other = await leftBy(place, part, value);
    const own = await openTemporaryFiles(place).store(incoming('own'));
    expect([existsSync(other), existsSync(own.path)]).toEqual([stays, true]);
  });

  it('of another machine is removed when it showed no life for long', async () => {
    const place = mkdtempSync(join(root, 'room-'));
    const other = await leftBy(place, 0, 'elsewhere');
    const before = new Date(Date.now() - 3_600_000);
    utimesSync(other, before, before);
    await openTemporaryFiles(place).reserve();
    expect(existsSync(other)).toBe(false);
  });

  it('takes strange names for those of others', async () => {
    const place = mkdtempSync(join(root, 'room-'));
    const names = ['plain', '%', '~~~', `${encodeURIComponent('a b')}~x~y`];
    for (const name of names) await mkdir(join(place, name));
    await writeFile(join(place, 'file'), 'x');
    await openTemporaryFiles(place).reserve();
    expect(readdirSync(place)).toEqual(expect.arrayContaining([...names, 'file']));
  });
});
