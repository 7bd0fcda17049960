import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openTemporaryFiles } from '../temporary-files.ts';
import { isObjectName, ObjectMissingError, type ObjectName, type ObjectStore } from './object-store.ts';

/** The folder of contents that are still arriving; no bucket can have this name. */
const ARRIVING = '.arriving';

/** What the name of the file of an arriving object ends with: neither `%` nor `~` occurs in a segment. */
const endingOf = ({ bucket, key }: ObjectName) => `~${encodeURIComponent(`${bucket}/${key}`)}`;

/** System error codes for paths at which no file exists. */
const NO_FILE = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

const missing = (name: ObjectName) => (error: NodeJS.ErrnoException) => {
  throw NO_FILE.has(error.code ?? '') ? new ObjectMissingError(name) : error;
};

/** Rejects when there is no such object; the beginning of a name is a folder. */
async function checkFile(name: ObjectName, path: string): Promise<void> {
  const stats = await stat(path).catch(missing(name));
  if (!stats.isFile()) throw new ObjectMissingError(name);
}

/** Stores objects as files below a folder. Content is written to a temporary file and renamed when it is complete. */
export function createDiskStore(folder: string): ObjectStore {
  const arriving = openTemporaryFiles(join(folder, ARRIVING));
  const pathOf = (name: ObjectName) => {
    if (!isObjectName(name)) throw new ObjectMissingError(name);
    return join(folder, name.bucket, ...name.key.split('/'));
  };
  return {
    put: async (name, content) => {
      const target = pathOf(name);
      const path = `${await arriving.reserve()}${endingOf(name)}`;
      try {
        await pipeline(content, createWriteStream(path, { mode: 0o600, flush: true }));
        await mkdir(dirname(target), { recursive: true });
        await rename(path, target);
      } catch (error) {
        await arriving.discard({ path });
        throw error;
      }
    },
    open: async (name, range) => {
      const path = pathOf(name);
      await checkFile(name, path);
      const file = await open(path).catch(missing(name));
      return file.createReadStream(range);
    },
    withFile: async (name, use) => {
      const path = pathOf(name);
      await checkFile(name, path);
      return use(path);
    },
    remove: async (name) => {
      await rm(pathOf(name), { force: true });
      const left = await readdir(join(folder, ARRIVING), { recursive: true }).catch(() => []);
      for (const each of left.filter((file) => file.endsWith(endingOf(name))))
        await rm(join(folder, ARRIVING, each), { force: true });
    },
    probe: async () => {
      const path = await arriving.reserve();
      try {
        await writeFile(path, 'x');
      } finally {
        await arriving.discard({ path });
      }
    },
    close: arriving.close,
  };
}
