import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/foundation/database/database.ts';
import { emptyHome, silent } from './engines.ts';
import { startProgram, type TestProgram } from './programs.ts';

const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function home(): string {
  const folder = emptyHome();
  cleanups.push(folder.remove);
  return folder.home;
}

async function open(folder: string): Promise<Database> {
  const database = await openDatabase({ home: folder, log: silent });
  cleanups.push(() => database.close());
  return database;
}

function inserting(folder: string): TestProgram {
  const program = startProgram('foundation/database/programs/insert-rows.ts', [folder]);
  cleanups.push(() => program.kill());
  return program;
}

// Each test starts engines and processes, which takes a while on a busy machine.
describe('the embedded database', () => {
  it('keeps every committed row and no half transaction when its process is killed', async () => {
    const folder = home();
    for (const rows of ['25', '60']) {
      const program = inserting(folder);
      await program.printed((line) => line === rows).catch(() => undefined);
      await program.kill();
      const committed = Number(program.lines.at(-1) ?? 0);
      const database = await open(folder);
      const { rows: found } = await sql<{ first: number; second: number; last: number }>`
        select (select count(*) from first) as first, (select count(*) from second) as second,
          (select max(id) from first join second using (id)) as last`.execute(database.kysely<unknown>());
      expect(committed).toBeGreaterThanOrEqual(25);
      // The last transaction may have been committed before its number was printed.
      expect(found[0]?.last).toBeGreaterThanOrEqual(committed);
      expect(found[0]).toEqual({ first: found[0]?.last, second: found[0]?.last, last: found[0]?.last });
      await sql`truncate first, second`.execute(database.kysely<unknown>());
      await database.close();
    }
  });

  it('refuses a second process, naming the first, and this process too', async () => {
    const folder = home();
    const program = inserting(folder);
    await program.printed((line) => line === '1');
    await expect(open(folder)).rejects.toThrow(
      new RegExp(`${folder} is in use by process ${program.pid}\\..*set DATABASE_URL`),
    );
    await program.kill();
    await open(folder);
    await expect(open(folder)).rejects.toThrow(`in use by process ${process.pid}`);
  });

  it('makes the data folder at once or not at all', async () => {
    const folder = home();
    // What a process leaves that was killed while it made the folder.
    await mkdir(join(folder, 'database.new', 'base', 'leftover'), { recursive: true });
    await (await open(folder)).probe();
    expect(readdirSync(folder).sort()).toEqual(['database', 'database.lock']);
    expect(readdirSync(join(folder, 'database', 'base')).length).toBeGreaterThan(0);
    expect(existsSync(join(folder, 'database', 'base', 'leftover'))).toBe(false);
  });

  it('fails the statements in flight when the engine crashes, and goes on when it can', async () => {
    const folder = home();
    const database = await open(folder);
    const queries = database.kysely<unknown>();
    await sql`create table kept as select 1 as id`.execute(queries);
    // The engine stops itself when it cannot go on with its log: a folder takes the name of the next file.
    const log = join(folder, 'database', 'pg_wal');
    const { rows } = await sql<{
      name: string;
    }>`select pg_walfile_name(pg_current_wal_lsn()) as name`.execute(queries);
    const following = nextSegment(rows[0]?.name ?? '');
    await rm(join(log, following), { force: true });
    await mkdir(join(log, following));
    const crash = sql`create table lost as select md5(i::text) from generate_series(1, 100000) i`.execute(
      queries,
    );
    await expect(crash).rejects.toThrow(/embedded database stopped: .*is a directory/i);
    await rm(join(log, following), { recursive: true });
    await expect(sql`select id from kept`.execute(queries)).resolves.toMatchObject({ rows: [{ id: 1 }] });
    await expect(sql`select 1 from lost`.execute(queries)).rejects.toMatchObject({ code: '42P01' });
  });

  it('says why it cannot start', async () => {
    const folder = home();
    await (await open(folder)).close();
    writeFileSync(join(folder, 'database', 'PG_VERSION'), '12\n');
    await expect(open(folder)).rejects.toThrow(/embedded database stopped: .*incompatible/);
    expect(existsSync(join(folder, 'database.lock'))).toBe(false);
    writeFileSync(join(folder, 'database', 'PG_VERSION'), '18\n');
    await (await open(folder)).probe();
    expect(readFileSync(join(folder, 'database.lock'), 'utf8')).toContain(`"pid":${process.pid}`);
  });
});

function nextSegment(name: string): string {
  return (BigInt(`0x${name}`) + 1n).toString(16).toUpperCase().padStart(24, '0');
}
