import { z } from 'zod';
import type {
  Configuration,
  ConfigurationChange,
  ConfigurationSnapshot,
} from '../../foundation/configuration/configuration.ts';
import type { Tunable } from '../../foundation/configuration/tunable.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Call, Handlers } from '../../foundation/service.ts';
import type { dashboard, StatsQuery } from './contract.ts';
import { errors } from './errors.ts';
import { configSchemaOf } from './schema.ts';
import { type Period, providerStats } from './stats.ts';

/** What the routes work with. */
export interface DashboardDependencies {
  readonly database: Pick<Database, 'kysely'>;
  readonly configuration: Configuration;
  readonly tunables: readonly Tunable[];
  /** The currency of prices, among the tunables. */
  readonly currencyKey: string;
}

const DAY_MS = 86_400_000;

function periodOf({ from, to, by, provider, model }: StatsQuery): Period {
  const end = to === undefined ? new Date() : new Date(to);
  const start = from === undefined ? new Date(end.getTime() - DAY_MS) : new Date(from);
  return { from: start, to: end, by, provider, model };
}

/** The name under which a change is kept: realm and subject. */
function actorOf({ caller }: Call): string {
  if (caller === undefined) throw errors.token_missing();
  return `${caller.realm}/${caller.subject}`;
}

/** What is wrong with a value, place by place. */
function refusalOf({ issues }: z.ZodError) {
  const details = issues.map(({ path, message, code }) => ({
    path: ['body', 'value', ...path.map((part) => (typeof part === 'number' ? part : String(part)))],
    message,
    type: code ?? 'value_error',
  }));
  const [first] = details;
  return errors.value_refused({
    details,
    ...(first && { message: `${first.message}; the old value stays.` }),
  });
}

function changedValue(tunable: Tunable, snapshot: ConfigurationSnapshot) {
  const { value, change } = snapshot.get(tunable);
  return {
    key: tunable.key,
    value,
    version: change?.version ?? 0,
    config_version: snapshot.version,
    actor: change?.actor ?? null,
    at: change?.at.toISOString() ?? null,
    requires_restart: tunable.requires_restart ?? false,
  };
}

const auditRow = ({ at, actor, key, old, value, version, config_version }: ConfigurationChange) => ({
  at: at.toISOString(),
  actor,
  key,
  old,
  new: value,
  version,
  config_version,
});

const dateOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

/** The handlers of the dashboard. */
export function dashboardRoutes(dependencies: DashboardDependencies): Handlers<typeof dashboard.operations> {
  const { database, configuration, tunables, currencyKey } = dependencies;
  const byKey = new Map(tunables.map((tunable) => [tunable.key, tunable]));
  const currency = () => {
    const tunable = byKey.get(currencyKey);
    const snapshot = configuration.current();
    return tunable === undefined || !snapshot.isSet(tunable) ? null : String(snapshot.get(tunable).value);
  };
  return {
    providerStats: async ({ query }) => {
      const period = periodOf(query);
      const { from, to, by } = period;
      const totals = await providerStats(database, period);
      const range = { from: from.toISOString(), to: to.toISOString(), by, currency: currency() };
      return { success: true, data: { ...range, ...totals } };
    },
    configSchema: () => ({ success: true, data: configSchemaOf(tunables, configuration.current()) }),
    configChanges: async ({ query }) => {
      const items = await configuration.changesAfter(query.after);
      return {
        items: items.map(({ config_version, key, version, value, actor, at }) => {
          return { config_version, key, version, value, actor, at: at.toISOString() };
        }),
      };
    },
    changeConfig: async ({ params: { key }, body: { value } }, call) => {
      const tunable = byKey.get(key);
      if (tunable === undefined) throw errors.config_key_not_found();
      try {
        const snapshot = await configuration.change(tunable, value ?? undefined, actorOf(call));
        return { success: true, data: changedValue(tunable, snapshot) };
      } catch (error) {
        throw error instanceof z.ZodError ? refusalOf(error) : error;
      }
    },
    audit: async ({ query: { actor, key, from, to, page, limit } }) => {
      const filter = { actor, key, from: dateOf(from), to: dateOf(to), limit, offset: (page - 1) * limit };
      const { items, total } = await configuration.changes(filter);
      const pagination = { page, limit, total, pages: Math.ceil(total / limit) };
      return { success: true, data: { items: items.map(auditRow), pagination } };
    },
  };
}
