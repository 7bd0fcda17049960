import type { Database } from './database/database.ts';
import type { Logger } from './log.ts';
import type { Registry } from './metrics.ts';

/** What the process lends to every service in it. */
export interface Platform {
  /** The folder that holds all data. */
  readonly home: string;
  readonly version: string;
  /** The address that users see, without a trailing slash. */
  readonly publicUrl: string;
  readonly log: Logger;
  readonly metrics: Registry;
  /** The database, opened when the first service asks. */
  readonly database: () => Promise<Database>;
}
