import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SNIFFED_BYTES, typeOfBytes } from './media-type.ts';
import type { FileSink, IncomingFile } from './payloads.ts';
import { currentProcess, isProcessRunning, machineId } from './process-identity.ts';

/** A temporary file, which its receiver discards after use. */
export interface TemporaryFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** By its first bytes. */
  readonly mimeType: string;
  readonly fileName: string | undefined;
}

/** A content that is being written to a file. */
type Content = Pick<IncomingFile, 'fileName'> & { readonly content: AsyncIterable<Uint8Array> };

/** The temporary files of this process. The receiver of a file discards it; failed content leaves nothing behind. */
export interface TemporaryFiles extends FileSink<TemporaryFile> {
  store(file: Content): Promise<TemporaryFile>;
  discard(file: Pick<TemporaryFile, 'path'>): Promise<void>;
  /** A unique path in an existing folder, also as a prefix of further paths. The caller discards what it writes there. */
  reserve(): Promise<string>;
  /** Removes all that is left of this process. */
  close(): Promise<void>;
}

/** How often a folder is touched as a sign of life, for processes on other machines or in other containers. */
const HEARTBEAT_MS = 5 * 60_000;
/** An invisible process counts as ended when its folder was not touched for this long. */
const SILENCE_MS = 4 * HEARTBEAT_MS;
const MARK = '~';

/** The name of a folder says whose it is. */
function ownName(): string {
  const { machine: place, pid, started } = currentProcess();
  return [place, String(pid), started ?? '', randomUUID()].map(encodeURIComponent).join(MARK);
}

/** Whether the process of a folder has ended. */
async function isLeft(folder: string, name: string): Promise<boolean> {
  const [place = '', pid = '', started = ''] = name.split(MARK).map(decodeURIComponent);
  if (place === machineId() && pid !== '')
    return !isProcessRunning({ machine: place, pid: Number(pid), started: started === '' ? null : started });
  return Date.now() - (await stat(join(folder, name))).mtimeMs > SILENCE_MS;
}

/** Removes the files of killed processes. */
async function sweep(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names)
    if (await isLeft(folder, name).catch(() => false))
      await rm(join(folder, name), { recursive: true, force: true });
}

/** Writes a content and says what it is. */
async function write(path: string, { content, fileName }: Content): Promise<TemporaryFile> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let bytes = 0;
  const reading = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (bytes < SNIFFED_BYTES) head.push(chunk);
      bytes += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(content, reading, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
  const mimeType = await typeOfBytes(Buffer.concat(head).subarray(0, SNIFFED_BYTES));
  return { path, bytes, sha256: hash.digest('hex'), mimeType, fileName };
}

/**
 * Opens temporary files below a folder that processes may share: each process has its own subfolder, whose name shows
 * whether it still runs. What ended processes have left is removed now and from time to time.
 */
export function openTemporaryFiles(folder: string): TemporaryFiles {
  const own = join(folder, ownName());
  // A disk that cannot be read says so when something is to be stored.
  const swept = sweep(folder).catch(() => undefined);
  const beat = async () => {
    const now = new Date();
    await utimes(own, now, now).catch(() => undefined);
    await sweep(folder).catch(() => undefined);
  };
  const beating = setInterval(() => void beat(), HEARTBEAT_MS);
  beating.unref();
  const discard = ({ path }: Pick<TemporaryFile, 'path'>) => rm(path, { force: true });
  const reserve = async () => {
    await swept;
    await mkdir(own, { recursive: true, mode: 0o700 });
    return join(own, randomUUID());
  };
  return {
    reserve,
    discard,
    store: async (file) => {
      const path = await reserve();
      try {
        return await write(path, file);
      } catch (error) {
        await discard({ path });
        throw error;
      }
    },
    close: async () => {
      clearInterval(beating);
      await swept;
      await rm(own, { recursive: true, force: true });
    },
  };
}
