import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isObjectName, ObjectMissingError, type ObjectName, type ObjectStore } from './object-store.ts';

/** The folder of contents that are still arriving; no bucket can have this name. */
const ARRIVING = '.arriving';

/** Keeps objects as files below a folder. A content arrives beside the others and takes its name when it is whole. */
export function createDiskStore(folder: string): ObjectStore {
  const pathOf = (name: ObjectName) => {
    if (!isObjectName(name)) throw new ObjectMissingError(name);
    return join(folder, name.bucket, ...name.key.split('/'));
  };
  const arriving = async () => {
    await mkdir(join(folder, ARRIVING), { recursive: true });
    return join(folder, ARRIVING, randomUUID());
  };
  return {
    put: async (name, content) => {
      const path = pathOf(name);
      const temporary = await arriving();
      try {
        await pipeline(content, createWriteStream(temporary, { mode: 0o600, flush: true }));
        await mkdir(dirname(path), { recursive: true });
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    open: async (name, range) => {
      const file = await open(pathOf(name)).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' || error.code === 'ENOTDIR' ? new ObjectMissingError(name) : error;
      });
      return file.createReadStream(range);
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    probe: async () => {
      const temporary = await arriving();
      try {
        await writeFile(temporary, 'x');
      } finally {
        await rm(temporary, { force: true });
      }
    },
  };
}
