import type { ColumnType, Generated } from 'kysely';

type Json = ColumnType<unknown, unknown, never>;

/** One change of one value. Rows are only added: they are the versions of each value and the audit at once. */
export interface ConfigurationChangeTable {
  /** The version of the whole configuration: one more with each change of any value. */
  config_version: number;
  key: string;
  /** The version of this value, from 1. */
  version: number;
  /** The value before; null when the default held. */
  old: Json;
  /** The value from now on; null when the default holds again. */
  value: Json;
  /** Who changed it. */
  actor: string;
  at: Generated<Date>;
}

/** The tables of the configuration. */
export interface ConfigurationTables {
  configuration_change: ConfigurationChangeTable;
}

/** The migrations of the owner `configuration`. */
export const migrations: Record<string, string> = {
  '0001_changes': `
    create table configuration_change (
      config_version bigint primary key,
      key text not null,
      version bigint not null,
      old jsonb,
      value jsonb,
      actor text not null,
      at timestamptz not null default now(),
      unique (key, version)
    );
  `,
};
