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
    engine: async () => (opening === undefined ? null : (await opening).engine),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
