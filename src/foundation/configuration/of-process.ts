import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import type { Logger } from '../log.ts';
import { databaseChanges, noChanges } from './changes.ts';
import { type Configurations, openConfigurations } from './configuration.ts';
import { remoteChanges } from './remote.ts';

/** Longest wait for the values of staff at start, in milliseconds: without them the defaults hold until they come. */
const START_WAIT_MS = 2_000;

/** Where a process may learn what staff have set. */
export interface ConfigurationPlaces {
  /** The database of the installation; undefined when this process shares none. */
  readonly database: (() => Promise<Database>) | undefined;
  /** The address of the dashboard; undefined or `none` when it is switched off. */
  readonly dashboard: string | undefined;
}

/**
 * The values that staff may change, as a process gets them: from the database when it has one, else from the dashboard, which
 * has. Neither need be there at the start.
 */
export async function configurationsOf(
  { database, dashboard = 'none' }: ConfigurationPlaces,
  log: Logger,
): Promise<Configurations> {
  const elsewhere = dashboard === 'none' ? noChanges : remoteChanges(dashboard);
  const configurations = openConfigurations(
    database === undefined ? elsewhere : databaseChanges(database),
    log,
  );
  const waiting = new AbortController();
  const wait = pause(START_WAIT_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([configurations.ready.catch(() => undefined), wait]);
  waiting.abort();
  return configurations;
}
