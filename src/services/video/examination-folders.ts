import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedFrame } from './films.ts';

/** Folders in which frames and results of examinations are kept for a while. */
export interface ExaminationFolders {
  /** Creates the folder of an examination; the answer names it. */
  begin(requestId: string): Promise<ExaminationFolder>;
  /** Removes expired folders. */
  sweep(): Promise<void>;
}

/** The folder of one examination. */
export interface ExaminationFolder {
  /** Below LIMPEDE_HOME. */
  readonly folder: string;
  keepFrames(pictures: readonly EncodedFrame[]): Promise<void>;
  keepResult(result: object): Promise<void>;
  /** Removes the folder of a failed examination. */
  discard(): Promise<void>;
}

const PLACE = ['video', 'runs'] as const;
const OWNER_ONLY = 0o700;
const MINUTE_MS = 60_000;

/** Prepares folders below the home of the platform. */
export function createExaminationFolders(home: string, keepMinutes: () => number): ExaminationFolders {
  const root = join(home, ...PLACE);
  return {
    begin: async (requestId) => {
      const path = join(root, requestId);
      await mkdir(join(path, 'frames'), { recursive: true, mode: OWNER_ONLY });
      return {
        folder: [...PLACE, requestId].join('/'),
        keepFrames: async (pictures) => {
          for (const { index, jpeg } of pictures)
            await writeFile(join(path, 'frames', `${String(index).padStart(6, '0')}.jpg`), jpeg);
        },
        keepResult: (result) => writeFile(join(path, 'result.json'), `${JSON.stringify(result, null, 2)}\n`),
        discard: () => rm(path, { recursive: true, force: true }),
      };
    },
    sweep: async () => {
      const limit = Date.now() - keepMinutes() * MINUTE_MS;
      for (const name of await readdir(root).catch(() => [])) {
        const path = join(root, name);
        const stats = await stat(path).catch(() => undefined);
        if (stats !== undefined && stats.mtimeMs < limit) await rm(path, { recursive: true, force: true });
      }
    },
  };
}
