import { isDeepStrictEqual } from 'node:util';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { z } from 'zod';
import type { Database } from '../database/database.ts';
import { jsonb } from '../database/storable.ts';
import type { Logger } from '../log.ts';
import { type ConfigurationChangeTable, type ConfigurationTables, migrations } from './tables.ts';
import type { Tunable } from './tunable.ts';

/** The channel on which a change is announced to every process. */
const CHANNEL = 'limpede_configuration';
/** How often a process looks for changes that no notice told it of, in milliseconds. */
const POLL_MS = 10_000;
/** Names the lock of changes among the advisory locks of the database: config_version has no gaps and no twins. */
const CHANGE_LOCK = 0x636f6e66;

/** A value as it holds, and which change made it; null while the default holds from the beginning. */
export interface Setting<Value> {
  readonly value: Value;
  readonly change: SettingChange | null;
}

/** The change that made a value hold: its number among those of the value, and among all changes. */
export interface SettingChange {
  readonly version: number;
  readonly configVersion: number;
  readonly actor: string;
  readonly at: Date;
}

/** The configuration at one moment; it never changes, so that work that began with it ends with it. */
export interface ConfigurationSnapshot {
  /** The number of changes up to this moment, over all keys. */
  readonly version: number;
  get<Schema extends z.ZodType>(tunable: Tunable<Schema>): Setting<z.output<Schema>>;
}

/** One row of the audit. `old` and `value` are null where the default held or holds again. */
export type ConfigurationChange = Selectable<ConfigurationChangeTable>;

/** Which changes to list, newest first. */
export interface ChangeQuery {
  readonly key?: string | undefined;
  readonly actor?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Values that staff change at run time, in the database: the same in every process that shares it. */
export interface Configuration {
  /** What holds now, as far as this process has heard: at once after a change here, a moment later elsewhere. */
  current(): ConfigurationSnapshot;
  /**
   * Sets a value, or its default again when `value` is undefined, and resolves to what holds then. Rejects with a
   * ZodError when the value does not fit; then the old one stays. A value that holds already changes nothing.
   */
  change<Schema extends z.ZodType>(
    tunable: Tunable<Schema>,
    value: z.input<Schema> | undefined,
    actor: string,
  ): Promise<ConfigurationSnapshot>;
  /** The audit: who changed what, when, from what to what. */
  changes(query: ChangeQuery): Promise<{ items: ConfigurationChange[]; total: number }>;
  /** Rejects with a short reason when the stored values cannot be read or do not fit their schemas. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

type Stored = Setting<unknown>;
type Queries = Kysely<ConfigurationTables> | Transaction<ConfigurationTables>;

/** What one process knows of the stored values. */
interface Known {
  readonly version: number;
  /** Values that fit, by key. */
  readonly values: ReadonlyMap<string, Stored>;
  /** Keys whose stored value does not fit its schema, with the reason. Their last fitting value holds, else the default. */
  readonly unfit: ReadonlyMap<string, string>;
}

const changeOf = ({ version, config_version, actor, at }: ConfigurationChange): SettingChange => ({
  version,
  configVersion: config_version,
  actor,
  at,
});

/** What is known after these changes, which come in their order. */
function withChanges(
  known: Known,
  changes: readonly ConfigurationChange[],
  tunables: ReadonlyMap<string, Tunable>,
): Known {
  const values = new Map(known.values);
  const unfit = new Map(known.unfit);
  for (const change of changes) {
    const tunable = tunables.get(change.key);
    // Another service's value, or one of a newer release.
    if (tunable === undefined) continue;
    const result = change.value === null ? null : tunable.schema.safeParse(change.value);
    unfit.delete(change.key);
    if (result === null) values.set(change.key, { value: tunable.fallback, change: changeOf(change) });
    else if (result.success) values.set(change.key, { value: result.data, change: changeOf(change) });
    else unfit.set(change.key, result.error.issues[0]?.message ?? 'does not fit');
  }
  return { version: changes.at(-1)?.config_version ?? known.version, values, unfit };
}

function snapshotOf(known: Known): ConfigurationSnapshot {
  return {
    version: known.version,
    get: (tunable) =>
      // The map holds under a key only what that tunable's schema let through.
      (known.values.get(tunable.key) ?? { value: tunable.fallback, change: null }) as Setting<
        z.output<typeof tunable.schema>
      >,
  };
}

async function changesAfter(queries: Queries, version: number): Promise<ConfigurationChange[]> {
  return queries
    .selectFrom('configuration_change')
    .selectAll()
    .where('config_version', '>', version)
    .orderBy('config_version')
    .execute();
}

async function listChanges(queries: Queries, query: ChangeQuery) {
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

/** Adds a change to the table, unless the value holds already; tells every process once the transaction holds. */
async function storeChange(
  change: Transaction<ConfigurationTables>,
  { key, fallback }: Tunable,
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

/** Opens the configuration of one service: its tables, what is stored of its tunables, and its ear for changes. */
export async function openConfiguration(
  database: Database,
  tunables: readonly Tunable[],
  log: Logger,
  pollMs = POLL_MS,
): Promise<Configuration> {
  await database.migrate('configuration', migrations);
  const queries = database.kysely<ConfigurationTables>();
  const byKey = new Map(tunables.map((tunable) => [tunable.key, tunable]));
  let known: Known = { version: 0, values: new Map(), unfit: new Map() };
  let snapshot = snapshotOf(known);

  /** Reads what is new; two looks at once may both read it, and the later version counts. */
  const refresh = async () => {
    const before = known;
    const changes = await changesAfter(queries, before.version);
    if (changes.length === 0) return;
    const next = withChanges(before, changes, byKey);
    if (next.version <= known.version) return;
    for (const [key, reason] of next.unfit) {
      if (!known.unfit.has(key)) log.error({ key, reason }, 'a stored value does not fit and is left out');
    }
    known = next;
    snapshot = snapshotOf(known);
  };
  const follow = () => {
    refresh().catch((error) => log.warn({ err: error }, 'the configuration could not be read'));
  };

  const unlisten = await database.listen(CHANNEL, follow);
  await refresh();
  const timer = setInterval(follow, pollMs);
  return {
    current: () => snapshot,
    change: async (tunable, value, actor) => {
      const fitting = value === undefined ? undefined : tunable.schema.parse(value);
      await queries.transaction().execute((change) => storeChange(change, tunable, fitting, actor));
      await refresh();
      return snapshot;
    },
    changes: (query) => listChanges(queries, query),
    probe: async () => {
      await refresh();
      const keys = [...known.unfit.keys()];
      if (keys.length > 0) throw new Error(`stored values do not fit: ${keys.join(', ')}`);
    },
    close: async () => {
      clearInterval(timer);
      await unlisten();
    },
  };
}
