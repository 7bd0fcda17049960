import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from '../../../src/foundation/database/database.ts';
import type { Prepared } from '../../prepared-database.ts';
import { isRequired } from '../../required.ts';

/** A logger for tests that must be quiet. */
export const silent = pino({ level: 'silent' });

/** The server on which tests may make databases. */
export const server = process.env.LIMPEDE_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/test';
const unreachable = await new Promise<string | undefined>((resolve) => {
  const client = new Client({ connectionString: server, connectionTimeoutMillis: 3_000 });
  client.on('error', () => undefined);
  client
    .connect()
    .then(() => client.end())
    .then(
      () => resolve(undefined),
      (error: Error) => resolve(`${new URL(server).host}: ${error.message || error.name}`),
    );
});

/** An engine that a suite runs over: an empty database that is opened before the suite and removed after it. */
export interface TestEngine {
  readonly name: 'embedded' | 'postgres';
  database(): Database;
  /** Where it is, for opening it again, here or in another process. */
  place(): { url?: string; home: string };
  /** Closes the database and opens it again. */
  reopen(): Promise<Database>;
}

interface Options extends Pick<DatabaseOptions, 'statementTimeoutMs'> {
  /** Without the tables of our services. */
  readonly empty?: boolean;
}

declare module 'vitest' {
  interface ProvidedContext {
    prepared: Prepared;
  }
}

/**
 * Runs a suite over both engines. PostgreSQL is looked for at LIMPEDE_TEST_POSTGRES; when it cannot be reached, its suite
 * is skipped with the reason in its name, unless LIMPEDE_TEST_REQUIRE (a comma-separated list) names `postgres`.
 */
export function forEachEngine(suite: (engine: TestEngine) => void, options: Options = {}): void {
  describe('embedded', () => suite(testEngine('embedded', options)));
  describeServer('postgres', () => suite(testEngine('postgres', options)));
}

/** A suite that needs the server: skipped by the same rule, with the reason in its name. */
export function describeServer(name: string, suite: () => void): void {
  if (!unreachable || isRequired('postgres')) describe(name, suite);
  else describe.skip(`${name} (skipped: no PostgreSQL: ${unreachable})`, suite);
}

/** Runs one statement on the test server, outside every test database. */
async function onServer(text: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/** Makes an empty database on the test server; the result removes it. */
export async function freshPostgres(): Promise<{ url: string; remove(): Promise<void> }> {
  const name = `limpede_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.toString(), remove: () => onServer(`drop database ${name} with (force)`) };
}

/** An empty folder; the result removes it. */
export function emptyHome(): { home: string; remove(): void } {
  const home = mkdtempSync(join(tmpdir(), 'limpede-database-'));
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** The home of a platform that has nothing but the empty tables of its services; the result removes it. */
export function freshHome(): { home: string; remove(): void } {
  const place = emptyHome();
  fillHome(place.home);
  return place;
}

/** A folder like that of a platform that was started before; the result removes it. */
export function startedHome(): { home: string; remove(): void } {
  const place = emptyHome();
  fillStartedHome(place.home);
  return place;
}

/** Puts a database with the empty tables of all services into a home. */
export function fillHome(home: string): void {
  cpSync(inject('prepared').database, join(home, 'database'), { recursive: true });
}

/** Makes a folder the home of a platform that was started before; `without` leaves its database out. */
export function fillStartedHome(home: string, { without }: { readonly without?: 'database' } = {}): void {
  const { home: started } = inject('prepared');
  for (const part of ['database', 'identity'].filter((name) => name !== without))
    cpSync(join(started, part), join(home, part), { recursive: true });
}

function testEngine(name: 'embedded' | 'postgres', options: Options): TestEngine {
  let database: Database | undefined;
  let where: { url?: string; home: string } | undefined;
  const removers: (() => Promise<void> | void)[] = [];
  const place = () => {
    if (!where) throw new Error('the database exists only while its tests run');
    return where;
  };
  const open = async () => {
    database = await openDatabase({ ...place(), log: silent, patienceMs: 0, ...options });
    return database;
  };
  beforeAll(async () => {
    const folder = name === 'postgres' || options.empty === true ? emptyHome() : freshHome();
    removers.push(folder.remove);
    where = { home: folder.home };
    if (name === 'postgres') {
      const fresh = await freshPostgres();
      removers.push(fresh.remove);
      where = { home: folder.home, url: fresh.url };
    }
    await open();
  });
  afterAll(async () => {
    await database?.close();
    for (const remove of removers) await remove();
  });
  return {
    name,
    database() {
      if (!database) throw new Error('the database exists only while its tests run');
      return database;
    },
    place,
    async reopen() {
      await database?.close();
      return open();
    },
  };
}
