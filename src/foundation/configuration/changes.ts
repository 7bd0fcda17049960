import { isDeepStrictEqual } from 'node:util';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Database } from '../database/database.ts';
import { jsonb } from '../database/storable.ts';
import { type ConfigurationChangeTable, type ConfigurationTables, migrations } from './tables.ts';
import type { Tunable } from './tunable.ts';

/** One row of the audit. `old` and `value` are null where the default held or holds again. */
export type ConfigurationChange = Selectable<ConfigurationChangeTable>;

/** A change without its old value, as it is sent to processes that only read. */
export type PublishedChange = Omit<ConfigurationChange, 'old'>;

/** Which changes to list, newest first. */
export interface ChangeQuery {
  readonly key?: string | undefined;
  readonly actor?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Where the changes are kept. */
export interface ChangeStore {
  /** Changes after a version in their order, at most NEWS_AT_ONCE of them. */
  after(version: number): Promise<readonly PublishedChange[]>;
  /** Adds a change, unless the value holds already. */
  add(tunable: Pick<Tunable, 'key' | 'fallback'>, value: unknown, actor: string): Promise<void>;
  list(query: ChangeQuery): Promise<{ items: ConfigurationChange[]; total: number }>;
  /** Calls back when there may be news; resolves when it listens, to what ends it. */
  listen(onChange: () => void): Promise<() => Promise<void>>;
}

/** Most changes of one read; a reader that gets this many reads again. */
export const CHANGES_PER_READ = 500;
/** The channel on which a change is announced to every process. */
const CHANNEL = 'limpede_configuration';
/** Names the lock of changes among the advisory locks of the database: config_version has no gaps and no twins. */
const CHANGE_LOCK = 0x636f6e66;

async function listChanges(queries: Kysely<ConfigurationTables>, query: ChangeQuery) {
  let rows = queries.selectFrom('configuration_change');
  if (query.key !== undefined) rows = rows.where('key', '=', query.key);
  if (query.actor !== undefined) rows = rows.where('actor', '=', query.actor);
  if (query.from !== undefined) rows = rows.where('at', '>=', query.from);
  if (query.to !== undefined) rows = rows.where('at', '<=', query.to);
  const { total } = await rows
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await rows
    .selectAll()
    .orderBy('config_version', 'desc')
    .limit(query.limit)
    .offset(query.offset)
    .execute();
  return { items, total: Number(total) };
}

/** Adds a change to the table, unless the value holds already; notifies every process when the transaction commits. */
async function storeChange(
  change: Transaction<ConfigurationTables>,
  { key, fallback }: Pick<Tunable, 'key' | 'fallback'>,
  value: unknown,
  actor: string,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${CHANGE_LOCK})`.execute(change);
  const last = await change
    .selectFrom('configuration_change')
    .select(['value', 'version'])
    .where('key', '=', key)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  const holds = last?.value ?? null;
  if (isDeepStrictEqual(holds ?? fallback, value ?? fallback)) return;
  const { rows } = await sql<{ config_version: number }>`
    insert into configuration_change (config_version, key, version, old, value, actor)
    select coalesce(max(config_version), 0) + 1, ${key}, ${(last?.version ?? 0) + 1},
      ${holds === null ? null : jsonb(holds)}::jsonb, ${value === undefined ? null : jsonb(value)}::jsonb, ${actor}
    from configuration_change returning config_version`.execute(change);
  await sql`select pg_notify(${CHANNEL}, ${String(rows[0]?.config_version)})`.execute(change);
}

/** Changes in a database. Nothing is asked of it before the first call, and one that failed to open is opened again. */
export function databaseChanges(open: () => Promise<Database>): ChangeStore {
  let opening: Promise<Database> | undefined;
  const opened = () => {
    opening ??= open()
      .then(async (database) => {
        await database.migrate('configuration', migrations);
        return database;
      })
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
    return opening;
  };
  const queries = async () => (await opened()).kysely<ConfigurationTables>();
  return {
    after: async (version) =>
      (await queries())
        .selectFrom('configuration_change')
        .selectAll()
        .where('config_version', '>', version)
        .orderBy('config_version')
        .limit(CHANGES_PER_READ)
        .execute(),
    add: async (tunable, value, actor) =>
      (await queries()).transaction().execute((change) => storeChange(change, tunable, value, actor)),
    list: async (query) => listChanges(await queries(), query),
    listen: async (onChange) => (await opened()).listen(CHANNEL, onChange),
  };
}

/** No changes, ever: for a process that can reach neither a database nor a dashboard. */
export const noChanges: ChangeStore = {
  after: async () => [],
  add: () => Promise.reject(new Error('this process has no store of configuration')),
  list: async () => ({ items: [], total: 0 }),
  listen: async () => async () => undefined,
};
