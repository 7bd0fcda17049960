import { databaseChanges } from '../../../src/foundation/configuration/changes.ts';
import {
  type Configuration,
  openConfigurations,
} from '../../../src/foundation/configuration/configuration.ts';
import type { Tunable } from '../../../src/foundation/configuration/tunable.ts';
import type { Database } from '../../../src/foundation/database/database.ts';
import type { Logger } from '../../../src/foundation/log.ts';

/** Opens the configuration of one service alone, with a reader of its own. */
export async function openConfiguration(
  database: Database,
  tunables: readonly Tunable[],
  log: Logger,
  pollMs?: number,
): Promise<Configuration> {
  const all = openConfigurations(
    databaseChanges(async () => database),
    log,
    pollMs,
  );
  try {
    await all.ready;
  } catch (error) {
    await all.close();
    throw error;
  }
  return { ...all.of(tunables), close: all.close };
}
