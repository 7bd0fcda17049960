import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ClientBase, Pool } from 'pg';
import type { Logger } from '../log.ts';
import { isDiskFull, StartError, systemCode } from '../start-error.ts';
import { EmbeddedLink } from './embedded-link.ts';
import {
  connectionErrorReason,
  type DatabaseEngine,
  DatabaseUnavailableError,
  handleConnectionErrors,
} from './engine.ts';
import { lockFolder } from './lock.ts';
import { startMaintenance } from './maintenance.ts';
import { createDataFolder } from './template.ts';
import { columnTypes } from './types.ts';

/** Twice what a server allows: here a statement that is too slow costs a restart of the engine. */
const DEFAULT_STATEMENT_TIMEOUT_MS = 60_000;
/**
 * How long to wait for the one connection: longer than the slowest statement may take that has it, and than all services need for the
 * migrations of a first start on a slow machine. Code that asks for a second one inside a transaction ends here too.
 */
const CONNECT_TIMEOUT_MS = 2 * DEFAULT_STATEMENT_TIMEOUT_MS;

const parameters = [
  // A quarter of the memory of the default of 128 MB, and no slower.
  'shared_buffers=16MB',
  'max_wal_size=16MB',
  'min_wal_size=4MB',
  'log_min_messages=fatal',
];

/** Opens the engine that runs in this process on a folder of `home`, which then belongs to this process alone. */
export async function openEmbedded(
  home: string,
  log: Logger,
  statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS,
): Promise<DatabaseEngine> {
  const folder = resolve(home, 'database');
  await mkdir(home, { recursive: true, mode: 0o700 });
  let stolen = (): void => undefined;
  let opened = false;
  const lock = await lockFolder(`${folder}.lock`, `The data folder ${resolve(home)}`, () => stolen());
  try {
    if (!existsSync(join(folder, 'PG_VERSION'))) await createDataFolder(folder, resolve(home));
    opened = existsSync(folder);
    const link = new EmbeddedLink({ folder, parameters }, log, statementTimeoutMs);
    stolen = () => {
      log.fatal('the data folder was taken over by another process; the embedded database stops');
      link.abandon(new DatabaseUnavailableError('The data folder was taken over by another process'));
    };
    const engine = engineOver(link, log, () => lock.release());
    await engine.pool.query('select 1').catch(async (error) => {
      await engine.close();
      throw error;
    });
    return engine;
  } catch (error) {
    lock.release();
    throw refusal(folder, error, opened);
  }
}

/** The error with which a start fails. `opened`: there was a database to open. */
function refusal(folder: string, error: unknown, opened: boolean): StartError {
  if (isDiskFull(error))
    return new StartError(
      `The disk of the embedded database ${folder} is full: make room, or set LIMPEDE_HOME to a folder on another disk.`,
      error,
    );
  const incomplete = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemCode(error));
  if (opened || incomplete)
    return new StartError(
      `The embedded database ${folder} is damaged or incomplete (${connectionErrorReason(error)}): restore it from a backup, or move it away to begin with an empty one.`,
      error,
    );
  return new StartError(
    `The embedded database ${folder} cannot be made: ${connectionErrorReason(error)}.`,
    error,
  );
}

function engineOver(link: EmbeddedLink, log: Logger, released: () => void): DatabaseEngine {
  const listeners = new Map<string, Set<(payload: string) => void>>();
  const pool = new Pool({
    // Everything that the driver would otherwise take from PG* variables of the environment.
    host: 'embedded',
    port: 5432,
    user: 'postgres',
    password: '',
    database: 'postgres',
    ssl: false,
    application_name: 'limpede',
    types: columnTypes,
    // The engine has one session: a second connection would share its transaction.
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    stream: () => link.stream(),
    onConnect: async (client: ClientBase) => {
      client.on('notification', ({ channel, payload }) => {
        for (const listener of listeners.get(channel) ?? []) listener(payload ?? '');
      });
      for (const channel of listeners.keys())
        await client.query(`listen ${client.escapeIdentifier(channel)}`);
    },
  });
  handleConnectionErrors(pool, log);
  const tidying = startMaintenance(pool, link, log);
  return {
    name: 'embedded',
    pool,
    unhurried: (work) => link.unhurried(work),
    async listen(channel, listener) {
      const all = listeners.get(channel) ?? new Set();
      listeners.set(channel, all.add(listener));
      if (all.size === 1) await pool.query(`listen "${channel.replaceAll('"', '""')}"`);
      return async () => {
        all.delete(listener);
      };
    },
    async close() {
      await tidying.stop();
      await pool.end();
      await link.close();
      released();
    },
  };
}
