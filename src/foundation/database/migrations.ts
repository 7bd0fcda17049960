import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Logger } from '../log.ts';
import type { DatabaseEngine } from './engine.ts';

// One number for all processes of the product: a start that migrates makes the others wait.
const LOCK_KEY = 0x6c696d70;

const table = `create table if not exists limpede_migration (
  owner text not null,
  id text not null,
  checksum text not null,
  applied_at timestamptz not null default now(),
  primary key (owner, id)
)`;

/** Applies the owner's migrations that are missing, in the order of their names, each in a transaction of its own. */
export async function migrate(
  engine: DatabaseEngine,
  log: Logger,
  owner: string,
  migrations: Record<string, string>,
): Promise<void> {
  const ordered = Object.entries(migrations).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [id] of ordered) {
    if (!/^\d{4}_[a-z0-9_]+$/.test(id))
      throw new Error(`Migration ${owner}/${id}: names look like 0001_name`);
  }
  const client = await engine.pool.connect();
  let broken: Error | undefined;
  try {
    const applied = await locked(client, () => appliedChecksums(client, owner));
    warnOfUnknown(log, owner, applied, migrations);
    for (const [id, text] of ordered) {
      if (applied.has(id)) verify(owner, id, text, applied);
      else if (await engine.unhurried(() => locked(client, () => apply(client, owner, id, text)))) {
        // Worth a log line on a server, where an operator looks after the schema; the embedded database is migrated at every first start.
        const level = engine.name === 'postgres' ? 'info' : 'debug';
        log[level]({ owner, migration: id }, 'migration applied');
      }
    }
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // A connection in an unknown state is not used again.
    client.release(broken);
  }
}

async function locked<Result>(client: PoolClient, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    await client.query('set local statement_timeout = 0');
    await client.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function appliedChecksums(client: PoolClient, owner: string): Promise<Map<string, string>> {
  // Checked first, so that an ordinary start writes nothing and the server logs no notice that the table exists.
  const existing = await client.query<{ found: boolean }>(
    `select to_regclass('limpede_migration') is not null as found`,
  );
  if (!existing.rows[0]?.found) await client.query(table);
  const { rows } = await client.query<{ id: string; checksum: string }>(
    'select id, checksum from limpede_migration where owner = $1',
    [owner],
  );
  return new Map(rows.map((row) => [row.id, row.checksum]));
}

/** Whether this process applied it; another may have done so since the first look. */
async function apply(client: PoolClient, owner: string, id: string, text: string): Promise<boolean> {
  const applied = await appliedChecksums(client, owner);
  if (applied.has(id)) {
    verify(owner, id, text, applied);
    return false;
  }
  try {
    await client.query(text);
  } catch (error) {
    throw new Error(`Migration ${owner}/${id} failed: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
  await client.query('insert into limpede_migration (owner, id, checksum) values ($1, $2, $3)', [
    owner,
    id,
    checksum(text),
  ]);
  return true;
}

function verify(owner: string, id: string, text: string, applied: Map<string, string>): void {
  if (applied.get(id) === checksum(text)) return;
  throw new Error(
    `Migration ${owner}/${id} was changed after it had been applied. Put its text back and add a new migration.`,
  );
}

function warnOfUnknown(
  log: Logger,
  owner: string,
  applied: Map<string, string>,
  migrations: Record<string, string>,
): void {
  const unknown = [...applied.keys()].filter((id) => !Object.hasOwn(migrations, id)).sort();
  if (unknown.length > 0) log.warn({ owner, unknown }, 'the database was migrated by a newer version');
}

/** SHA-256 of the text; line ends do not count, a checkout may change them. */
function checksum(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n').trim()).digest('hex');
}
