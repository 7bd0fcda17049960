import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../src/foundation/database/database.ts';
import { describeServer, server, silent } from './foundation/database/engines.ts';
import { freePorts, limpede } from './running-platform.ts';

/** A start that goes on for so long did not fail. */
const LONGEST_MS = 60_000;
const place = mkdtempSync(join(tmpdir(), 'limpede-start-'));
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  const log = { LIMPEDE_LOG_LEVEL: 'error' };
  environment = { ...log, LIMPEDE_SERVICES: 'identity', IDENTITY_PORT: String(port), LIMPEDE_HOME: place };
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Starts the real command, which has to end by itself; its exit code and what it said. */
async function start(
  more: Readonly<Record<string, string>>,
): Promise<{ code: number | string; said: string }> {
  const { child, ended, output } = limpede(['up'], { ...environment, ...more });
  const limit = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  const code = await ended;
  clearTimeout(limit);
  expect(output.out).toBe('');
  return { code, said: output.err };
}

/** One line, without the places in the code where it happened. */
function expectOneSentence(said: string): void {
  expect(said.trim().split('\n')).toHaveLength(1);
  expect(said).not.toMatch(/\bat .*[:(]\d+:\d+|node:internal/);
}

/** An embedded database that was used once. */
async function usedHome(name: string): Promise<string> {
  const home = join(place, name);
  const database = await openDatabase({ home, log: silent });
  await database.migrate('test', { '0001_table': 'create table something (id integer)' });
  await database.close();
  return home;
}

/** Files that an operator may have deleted. */
const DAMAGES: readonly (readonly [name: string, part: string])[] = [
  ['its data is gone', 'base'],
  ['its version is gone', 'PG_VERSION'],
  ['its catalogue is gone', 'global'],
  ['its log is gone', 'pg_wal'],
];

describe('a start that cannot succeed', () => {
  it.each([
    [
      'a home that is a file',
      () => {
        const file = join(place, 'file');
        writeFileSync(file, 'x');
        return file;
      },
      /is a file: name a folder/,
    ],
    [
      'a home below /proc, which takes no folder',
      () => '/proc/limpede',
      /cannot be written to .*set LIMPEDE_HOME/,
    ],
    ['a home below a file', () => '/dev/null/limpede', /\/dev\/null is a file/],
  ])(
    'with %s says so and ends',
    async (_name, home, sentence) => {
      const { code, said } = await start({ LIMPEDE_HOME: home() });
      expect(said).toMatch(sentence);
      expectOneSentence(said);
      expect(code).toBe(1);
    },
    LONGEST_MS,
  );

  it.each(process.env.LIMPEDE_TEST_LONG === undefined ? DAMAGES.slice(0, 2) : DAMAGES)(
    'because of a damaged database, %s, says what to do',
    async (_name, part) => {
      const home = await usedHome(`damaged-${part}`);
      rmSync(join(home, 'database', part), { recursive: true });
      const { code, said } = await start({ LIMPEDE_HOME: home });
      expect(said).toMatch(
        /The embedded database .* is damaged or incomplete .*restore it from a backup, or move it away/s,
      );
      expect(code).toBe(1);
      expect(existsSync(join(home, 'database'))).toBe(true);
    },
    LONGEST_MS,
  );

  it(
    'because of many wrong settings tells all of them at once',
    async () => {
      const { code, said } = await start({
        LIMPEDE_PORT: 'x',
        ANALYSIS_PORT: '99999',
        LIMPEDE_LOG_LEVEL: 'loud',
        DATABASE_URL: 'mysql://x',
        IDENTITY_LOGIN_ATTEMPTS: '0',
      });
      for (const name of [
        'LIMPEDE_PORT',
        'ANALYSIS_PORT',
        'LIMPEDE_LOG_LEVEL',
        'DATABASE_URL',
        'IDENTITY_LOGIN_ATTEMPTS',
      ])
        expect(said).toContain(`  ${name}: `);
      expect(said).not.toMatch(/\bat .*[:(]\d+:\d+/);
      expect(code).toBe(1);
    },
    LONGEST_MS,
  );

  it(
    'tells a misspelt service beside wrong settings',
    async () => {
      const { said } = await start({ LIMPEDE_SERVICES: 'identiti', IDENTITY_LOGIN_ATTEMPTS: '0' });
      expect(said).toContain('there is no service identiti');
      expect(said).toContain('IDENTITY_LOGIN_ATTEMPTS');
    },
    LONGEST_MS,
  );

  it(
    'shows where it happened when it is asked to',
    async () => {
      const file = join(place, 'another-file');
      mkdirSync(place, { recursive: true });
      writeFileSync(file, 'x');
      const { code, said } = await start({ LIMPEDE_HOME: file, LIMPEDE_LOG_LEVEL: 'debug' });
      expect(said).toMatch(/is a file[\s\S]*\bat /);
      expect(code).toBe(1);
    },
    LONGEST_MS,
  );

  describeServer('on PostgreSQL', () => {
    it(
      'names a database that is not there',
      async () => {
        const url = new URL(server);
        url.pathname = '/limpede_is_not_there';
        const { code, said } = await start({ DATABASE_URL: url.href });
        expect(said).toMatch(
          /has no database limpede_is_not_there: create it \(createdb limpede_is_not_there\)/,
        );
        expectOneSentence(said);
        expect(code).toBe(1);
      },
      LONGEST_MS,
    );
  });
});
