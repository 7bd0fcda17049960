import pg from 'pg';

/** What one table takes with its indexes and large values, and its rows as the server counts them. */
export interface TableSize {
  readonly table: string;
  readonly bytes: number;
  readonly rows: number;
  /** Rows that are gone and whose room is not yet given back. */
  readonly dead: number;
}

/** What a database takes, as a whole and by table. */
export interface DatabaseSize {
  readonly bytes: number;
  readonly tables: readonly TableSize[];
}

const TABLES = `
  select s.relname as table, pg_total_relation_size(s.relid)::float8 as bytes,
    s.n_live_tup::float8 as rows, (s.n_dead_tup + coalesce(t.n_dead_tup, 0))::float8 as dead
  from pg_stat_user_tables s
  join pg_class c on c.oid = s.relid
  left join pg_stat_all_tables t on t.relid = c.reltoastrelid`;

/** Looks at the size of a database over a connection of its own. */
export async function watchDatabase(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    look: async (): Promise<DatabaseSize> => {
      const whole = await client.query<{ bytes: number }>(
        'select pg_database_size(current_database())::float8 as bytes',
      );
      const tables = await client.query<TableSize>(TABLES);
      return { bytes: whole.rows[0]?.bytes ?? Number.NaN, tables: tables.rows };
    },
    close: () => client.end(),
  };
}

/** Lines that tell which tables grew from one look to another, the largest growth first. */
export function growthByTable(before: DatabaseSize, after: DatabaseSize): string[] {
  const known = new Map(before.tables.map((size) => [size.table, size]));
  const grown = after.tables.map((size) => ({ size, by: size.bytes - (known.get(size.table)?.bytes ?? 0) }));
  return grown
    .filter(({ by }) => by > 0)
    .toSorted((one, other) => other.by - one.by)
    .map(({ size: { table, bytes, rows, dead }, by }) => {
      const kib = (count: number) => `${Math.round(count / 1024)} KiB`;
      return `${table}: ${kib(by)} more, ${kib(bytes)} now, ${rows} rows and ${dead} dead ones`;
    });
}
