import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFiles } from '../../src/foundation/temporary-files.ts';

const root = mkdtempSync(join(tmpdir(), 'limpede-temporary-'));
afterAll(() => rmSync(root, { recursive: true }));

const incoming = (content: Readable) => ({
  field: 'file',
  fileName: 'a.txt',
  mediaType: 'text/plain',
  mostBytes: 1000,
  declaredBytes: undefined,
  content,
});

describe('a file that comes with a request', () => {
  it('is kept until it is discarded, for its owner alone', async () => {
    const folder = join(root, 'deep', 'kept');
    const files = temporaryFiles(folder);
    const file = await files.store(incoming(Readable.from([Buffer.from('Some '), Buffer.from('words.')])));
    expect(readFileSync(file.path, 'utf8')).toBe('Some words.');
    expect(file).toMatchObject({ bytes: 11, mimeType: 'text/plain', fileName: 'a.txt' });
    expect(file.sha256).toMatch(/^[\da-f]{64}$/);
    expect(statSync(file.path).mode & 0o077).toBe(0);
    await files.discard(file);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves nothing when its sender leaves', async () => {
    const folder = join(root, 'left');
    const content = new Readable({
      read() {
        this.push('begun');
        this.destroy(new Error('left'));
      },
    });
    await expect(temporaryFiles(folder).store(incoming(content))).rejects.toThrow('left');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is removed a day after its process was killed', async () => {
    const folder = join(root, 'deep', 'kept');
    const [old, fresh] = [join(folder, 'old'), join(folder, 'fresh')];
    for (const path of [old, fresh]) writeFileSync(path, '');
    const days = new Date(Date.now() - 2 * 24 * 3_600_000);
    utimesSync(old, days, days);
    await temporaryFiles(folder).store(incoming(Readable.from(['x'])));
    expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
  });
});
