import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SNIFFED_BYTES, typeOfBytes } from './media-type.ts';
import type { FileSink, IncomingFile } from './payloads.ts';

/** A file that came with a request and is removed when it was answered. */
export interface TemporaryFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** By its first bytes. */
  readonly mimeType: string;
  readonly fileName: string | undefined;
}

/** Files are kept for one request; what a killed process has left behind is removed after so long, in milliseconds. */
const LEFT_BEHIND_MS = 24 * 3_600_000;

/** Keeps incoming files in a folder until they are discarded. Whoever receives one discards it. */
export function temporaryFiles(folder: string): FileSink<TemporaryFile> {
  let prepared: Promise<void> | undefined;
  const prepare = async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const limit = Date.now() - LEFT_BEHIND_MS;
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && found.mtimeMs < limit) await rm(path, { force: true, recursive: true });
    }
  };
  const store = async ({ content, fileName }: IncomingFile): Promise<TemporaryFile> => {
    prepared ??= prepare();
    await prepared.catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    const path = join(folder, randomUUID());
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
    try {
      await pipeline(content, reading, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    const mimeType = await typeOfBytes(Buffer.concat(head).subarray(0, SNIFFED_BYTES));
    return { path, bytes, sha256: hash.digest('hex'), mimeType, fileName };
  };
  return { store, discard: ({ path }) => rm(path, { force: true }) };
}
