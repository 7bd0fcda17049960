import type { Logger } from '../log.ts';
import { type Database, openDatabase } from './database.ts';

/** Opens the database on first use; after a failure the next use tries again. */
export function lazyDatabase(url: string | undefined, home: string, log: Logger) {
  let opening: Promise<Database> | undefined;
  return {
    open: () => {
      opening ??= openDatabase({ url, home, log }).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    /** The engine once it is open; null before first use, or when opening failed (then that caller got the error). */
    engine: async () => (await opening?.catch(() => undefined))?.engine ?? null,
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
