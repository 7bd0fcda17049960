import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import type { Logger } from '../log.ts';
import { databaseChanges, noChanges } from './changes.ts';
import { type Configurations, openConfigurations } from './configuration.ts';
import { remoteChanges } from './remote.ts';

/** Longest wait for stored values at start, in milliseconds; the defaults hold until they are read. */
const START_WAIT_MS = 2_000;

/** Where a process can read the values that staff have set. */
export interface ConfigurationSources {
  /** The database of the installation; undefined when this process shares none. */
  readonly database: (() => Promise<Database>) | undefined;
  /** The address of the dashboard; undefined or `none` when it is switched off. */
  readonly dashboard: string | undefined;
}

/**
 * Opens the configuration of a process: from the shared database when it has one, else from the dashboard over HTTP. Either may
 * still be down; the defaults hold until it can be read.
 */
export async function openProcessConfigurations(
  { database, dashboard = 'none' }: ConfigurationSources,
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
