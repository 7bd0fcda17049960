import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { Database } from '../../../../src/foundation/database/database.ts';
import { createDataFolder } from '../../../../src/foundation/database/template.ts';
import { emptyHome } from '../../../foundation/database/engines.ts';

/** The engine has one session: who asks for a connection waits for those before. */
function poolOver(engine: PGlite): PostgresPool {
  let last: Promise<void> = Promise.resolve();
  return {
    connect: async () => {
      const before = last;
      let release = (): void => undefined;
      last = new Promise((resolve) => {
        release = resolve;
      });
      await before;
      const query = async (text: string, parameters: readonly unknown[]) => {
        const { rows, affectedRows = 0 } = await engine.query(text, [...parameters]);
        // A statement that changes rows counts them, one that reads has them.
        return { command: text.trim().split(/\s/)[0]?.toUpperCase(), rowCount: affectedRows, rows };
      };
      return { query, release } as unknown as PostgresPoolClient;
    },
    end: () => engine.close(),
  };
}

/** An empty embedded database with the extension pgvector, as an operator's server may have it. */
export async function openPgvectorDatabase(): Promise<Database> {
  const place = emptyHome();
  const dataDir = join(place.home, 'database');
  // A copy of what embedded databases begin with: to set up a new one takes five times the processor time.
  await createDataFolder(dataDir, place.home);
  const engine = await PGlite.create({ dataDir, extensions: { vector } });
  await engine.exec('create extension vector');
  const queries = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: poolOver(engine) }) });
  const applied = new Set<string>();
  return {
    engine: 'postgres',
    kysely: <Tables>() => queries as unknown as Kysely<Tables>,
    cancellable: (_signal, work) => work(queries as Parameters<typeof work>[0]),
    migrate: async (owner, migrations) => {
      for (const [id, text] of Object.entries(migrations))
        if (!applied.has(`${owner}/${id}`)) await engine.exec(text);
      for (const id of Object.keys(migrations)) applied.add(`${owner}/${id}`);
    },
    listen: () => Promise.reject(new Error('nothing is told here')),
    probe: async () => {
      await engine.query('select 1');
    },
    close: async () => {
      await queries.destroy();
      place.remove();
    },
  };
}
