import type { z } from 'zod';
import type { Logger } from '../log.ts';
import type { ChangeQuery, ChangeStore, ConfigurationChange, PublishedChange } from './changes.ts';
import { POLL_MS, startFollower } from './follower.ts';
import type { Tunable } from './tunable.ts';

export type { ConfigurationChange } from './changes.ts';

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
  /** Whether staff set the value; false where the default holds, or holds again. */
  isSet(tunable: Pick<Tunable, 'key'>): boolean;
}

/** Values that staff change at run time: the same in every process of an installation. */
export interface Configuration {
  /** The current values as this process knows them: at once after a change made here, with a short delay after one made elsewhere. */
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
  /** Changes after a version in their order, for processes that cannot read them themselves. */
  changesAfter(after: number): Promise<readonly PublishedChange[]>;
  /** Calls back after each change that this process has read; the result unsubscribes. */
  onChange(listener: (snapshot: ConfigurationSnapshot) => void): () => void;
  /** Rejects with a short reason when the stored values cannot be read or do not fit their schemas. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

type StoredSetting = Setting<unknown>;

/** The stored values as this process has read them. */
interface KnownValues {
  readonly version: number;
  /** Values that fit, by key. */
  readonly values: ReadonlyMap<string, StoredSetting>;
  /** Keys whose value is not the default. */
  readonly set: ReadonlySet<string>;
  /** Keys whose stored value does not fit its schema, with the reason. Their last fitting value holds, else the default. */
  readonly unfit: ReadonlyMap<string, string>;
}

const NOTHING: KnownValues = { version: 0, values: new Map(), set: new Set(), unfit: new Map() };

const changeOf = ({ version, config_version, actor, at }: PublishedChange): SettingChange => ({
  version,
  configVersion: config_version,
  actor,
  at,
});

/** The known values after further changes, given in their order. */
function withChanges(
  known: KnownValues,
  changes: readonly PublishedChange[],
  tunables: ReadonlyMap<string, Tunable>,
): KnownValues {
  const values = new Map(known.values);
  const set = new Set(known.set);
  const unfit = new Map(known.unfit);
  for (const change of changes) {
    const tunable = tunables.get(change.key);
    // Another service's value, or one of a newer release.
    if (tunable === undefined) continue;
    const result = change.value === null ? null : tunable.schema.safeParse(change.value);
    unfit.delete(change.key);
    if (result !== null && !result.success) {
      unfit.set(change.key, result.error.issues[0]?.message ?? 'does not fit');
      continue;
    }
    values.set(change.key, { value: result?.data ?? tunable.fallback, change: changeOf(change) });
    if (result === null) set.delete(change.key);
    else set.add(change.key);
  }
  return { version: changes.at(-1)?.config_version ?? known.version, values, set, unfit };
}

function snapshotOf(known: KnownValues): ConfigurationSnapshot {
  return {
    version: known.version,
    isSet: ({ key }) => known.set.has(key),
    get: (tunable) =>
      // The map holds under a key only what that tunable's schema let through.
      (known.values.get(tunable.key) ?? { value: tunable.fallback, change: null }) as Setting<
        z.output<typeof tunable.schema>
      >,
  };
}

const DEFAULTS = snapshotOf(NOTHING);

/** The configurations of one process: all its services share one reader of changes. */
export interface Configurations {
  /** The configuration with these values, as far as it is known. */
  of(tunables: readonly Tunable[]): Configuration;
  /** Resolves when the stored values were first read; rejects when that fails, and reading is retried in the background. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Follows the changes of a store for all services of a process. */
export function openConfigurations(store: ChangeStore, log: Logger, pollMs = POLL_MS): Configurations {
  const views = new Set<(changes: readonly PublishedChange[]) => void>();
  const follower = startFollower(
    store,
    (changes) => {
      for (const view of views) view(changes);
    },
    log,
    pollMs,
  );

  const of = (tunables: readonly Tunable[]): Configuration => {
    const byKey = new Map(tunables.map((tunable) => [tunable.key, tunable]));
    const listeners = new Set<(snapshot: ConfigurationSnapshot) => void>();
    let known = withChanges(NOTHING, follower.changes(), byKey);
    let snapshot = snapshotOf(known);
    const view = (changes: readonly PublishedChange[]) => {
      const next = withChanges(known, changes, byKey);
      for (const [key, reason] of next.unfit) {
        if (!known.unfit.has(key)) log.error({ key, reason }, 'a stored value does not fit and is left out');
      }
      known = next;
      snapshot = snapshotOf(known);
      for (const listener of listeners) listener(snapshot);
    };
    views.add(view);
    return {
      current: () => snapshot,
      change: async (tunable, value, actor) => {
        const fitting = value === undefined ? undefined : tunable.schema.parse(value);
        await store.add(tunable, fitting, actor);
        await follower.refresh();
        return snapshot;
      },
      changes: store.list,
      changesAfter: store.after,
      onChange: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      probe: async () => {
        await follower.refresh();
        const keys = [...known.unfit.keys()];
        if (keys.length > 0) throw new Error(`stored values do not fit: ${keys.join(', ')}`);
      },
      close: async () => void views.delete(view),
    };
  };
  return { of, ready: follower.ready, close: follower.close };
}

/** The configuration of a process without a store: defaults hold, and nothing can be changed. */
export const fixedConfiguration: Configuration = {
  current: () => DEFAULTS,
  change: () => Promise.reject(new Error('this process has no store of configuration')),
  changes: async () => ({ items: [], total: 0 }),
  changesAfter: async () => [],
  onChange: () => () => undefined,
  probe: async () => undefined,
  close: async () => undefined,
};
