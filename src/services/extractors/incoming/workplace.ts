import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Files of processes of other machines that share the folder are theirs for so long, in milliseconds. */
const FOREIGN_MS = 24 * 3600 * 1000;

/** Files that lie here for as long as they are read. */
export interface Workplace {
  /** A path that nobody else has; its folder is there. */
  path(): Promise<string>;
  remove(path: string): Promise<void>;
  /** Removes what processes have left that were killed. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** A folder for each process below one folder: what a killed process left is known by its name. */
export function createWorkplace(folder: string): Workplace {
  const machine = encodeURIComponent(hostname());
  const own = join(folder, `${machine}~${process.pid}~${randomUUID()}`);
  const isLeft = async (name: string) => {
    const [where = '', pid = ''] = name.split('~');
    if (where === machine) return Number(pid) === process.pid || !isAlive(Number(pid));
    const { mtimeMs } = await stat(join(folder, name));
    return Date.now() - mtimeMs > FOREIGN_MS;
  };
  return {
    path: async () => {
      await mkdir(own, { recursive: true });
      return join(own, randomUUID());
    },
    remove: (path) => rm(path, { force: true }),
    sweep: async () => {
      const names = await readdir(folder).catch(() => []);
      for (const name of names)
        if (join(folder, name) !== own && (await isLeft(name).catch(() => false)))
          await rm(join(folder, name), { recursive: true, force: true });
    },
    close: () => rm(own, { recursive: true, force: true }),
  };
}
