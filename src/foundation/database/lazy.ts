import type { Logger } from '../log.ts';
import { type Database, openDatabase } from './database.ts';

/** Opens the database when it is first asked for; an opening that fails is tried again by whoever asks next. */
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
    /** The engine once it is open; null when nobody asked, or it could not be opened: who asked was told why. */
    engine: async () => (await opening?.catch(() => undefined))?.engine ?? null,
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
