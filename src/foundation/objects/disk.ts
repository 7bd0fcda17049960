import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isObjectName, ObjectMissingError, type ObjectName, type ObjectStore } from './object-store.ts';

/** The folder of contents that are still arriving; no bucket can have this name. */
const ARRIVING = '.arriving';

/** What the names of the files of an arriving object begin with: neither `%` nor `~` occurs in a segment. */
const beginningOf = ({ bucket, key }: ObjectName) => `${encodeURIComponent(`${bucket}/${key}`)}~`;

const missing = (name: ObjectName) => (error: NodeJS.ErrnoException) => {
  throw error.code === 'ENOENT' || error.code === 'ENOTDIR' ? new ObjectMissingError(name) : error;
};

/** Keeps objects as files below a folder. A content arrives beside the others and takes its name when it is whole. */
export function createDiskStore(folder: string): ObjectStore {
  const pathOf = (name: ObjectName) => {
    if (!isObjectName(name)) throw new ObjectMissingError(name);
    return join(folder, name.bucket, ...name.key.split('/'));
  };
  const arriving = async (beginning: string) => {
    await mkdir(join(folder, ARRIVING), { recursive: true });
    return join(folder, ARRIVING, `${beginning}${randomUUID()}`);
  };
  return {
    put: async (name, content) => {
      const path = pathOf(name);
      const temporary = await arriving(beginningOf(name));
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
      const file = await open(pathOf(name)).catch(missing(name));
      return file.createReadStream(range);
    },
    withFile: async (name, use) => {
      const path = pathOf(name);
      await access(path).catch(missing(name));
      return use(path);
    },
    remove: async (name) => {
      await rm(pathOf(name), { force: true });
      const folderOfArriving = join(folder, ARRIVING);
      const left = await readdir(folderOfArriving).catch(() => []);
      for (const each of left.filter((file) => file.startsWith(beginningOf(name))))
        await rm(join(folderOfArriving, each), { force: true });
    },
    probe: async () => {
      const temporary = await arriving('probe~');
      try {
        await writeFile(temporary, 'x');
      } finally {
        await rm(temporary, { force: true });
      }
    },
  };
}
