import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FolderInUseError, lockFolder } from '../../../src/foundation/database/lock.ts';
import { emptyHome } from './engines.ts';

let folder = emptyHome();
let file = '';

beforeEach(() => {
  folder = emptyHome();
  file = join(folder.home, 'database.lock');
});

afterEach(() => {
  vi.useRealTimers();
  folder.remove();
});

const take = (stolen = () => undefined) => lockFolder(file, 'The data folder', stolen);

/** The lock as this process writes it, with other words in it. */
async function lockOf(other: object): Promise<void> {
  const lock = await take();
  const own: object = JSON.parse(readFileSync(file, 'utf8'));
  lock.release();
  writeFileSync(file, JSON.stringify({ ...own, id: 'other', ...other }));
}

describe('the lock of the data folder', () => {
  it('is refused while it is held, and free after its release', async () => {
    const lock = await take();
    await expect(take()).rejects.toThrow(FolderInUseError);
    await expect(take()).rejects.toThrow(`The data folder is in use by process ${process.pid}.`);
    lock.release();
    expect(existsSync(file)).toBe(false);
    (await take()).release();
  });

  it('is written with the fields that other releases of the platform read', async () => {
    const lock = await take();
    const written: object = JSON.parse(readFileSync(file, 'utf8'));
    expect(Object.keys(written).sort()).toEqual(['id', 'machine', 'pid', 'started']);
    lock.release();
  });

  it('is taken over from a process that died', async () => {
    await lockOf({ pid: 2 ** 30 });
    const lock = await take();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid });
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
    lock.release();
  });

  it('is taken over when the process id belongs to another process by now', async () => {
    await lockOf({ started: '1' });
    (await take()).release();
  });

  it('is refused when a process lives whose start is not known', async () => {
    await lockOf({ started: null });
    await expect(take()).rejects.toThrow(FolderInUseError);
  });

  it('goes to one of several that find the same dead holder', async () => {
    await lockOf({ pid: 2 ** 30 });
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => take()));
    const taken = results.filter((result) => result.status === 'fulfilled');
    expect(taken).toHaveLength(1);
    for (const { value } of taken) value.release();
  });

  it('of another machine is refused while its heartbeat moves', async () => {
    await lockOf({ machine: 'another' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    const refused = expect(take()).rejects.toThrow('on another machine or in another container');
    utimesSync(file, 1_000, 1_000);
    await refused;
  });

  it('tells its holder when another took the file', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const stolen = vi.fn();
    const lock = await take(stolen);
    vi.advanceTimersByTime(2_000);
    expect(stolen).not.toHaveBeenCalled();
    writeFileSync(file, JSON.stringify({ id: 'other', pid: 1, machine: 'another' }));
    vi.advanceTimersByTime(2_000);
    expect(stolen).toHaveBeenCalledOnce();
    lock.release();
    expect(existsSync(file)).toBe(true);
  });
});
