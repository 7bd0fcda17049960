import { EventEmitter } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { runCommand } from 'citty';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PasswordTerminal } from '../../src/cli/password-input.ts';
import { usersCommand } from '../../src/cli/users.ts';
import { type Database, openDatabase } from '../../src/foundation/database/database.ts';
import { freshHome, silent, startedHome } from '../foundation/database/engines.ts';
import { startIdentity } from '../services/identity/running.ts';

const PASSWORD = 'o parolă destul de lungă';
const PUBLIC_URL = 'http://127.0.0.1:8080';

afterEach(() => {
  vi.restoreAllMocks();
});

/** What stands in for a pipe into the command. */
const piped = (text: string): PasswordTerminal => ({
  input: Readable.from([Buffer.from(text)]),
  prompts: new PassThrough(),
});

/** Runs the command; what it printed, and what it said beside. */
async function users(environment: Record<string, string>, rawArgs: readonly string[], text = '') {
  const printed = vi.spyOn(console, 'log').mockReturnValue();
  const said = vi.spyOn(console, 'error').mockReturnValue();
  await runCommand(usersCommand(environment, piped(text)), { rawArgs: [...rawArgs] });
  const linesOf = (spy: typeof printed) => spy.mock.calls.map(([line]) => String(line));
  const result = { lines: linesOf(printed), said: linesOf(said) };
  vi.restoreAllMocks();
  return result;
}

describe('limpede users, while the platform runs', () => {
  const place = startedHome();
  let database: Database;
  let identity: Awaited<ReturnType<typeof startIdentity>>;
  let environment: Record<string, string>;
  beforeAll(async () => {
    database = await openDatabase({ home: place.home, log: silent });
    identity = await startIdentity({ home: place.home, publicUrl: PUBLIC_URL, database });
    environment = { LIMPEDE_HOME: place.home, LIMPEDE_PUBLIC_URL: PUBLIC_URL, IDENTITY_URL: identity.url };
  });
  afterAll(async () => {
    await identity.close();
    await database.close();
    place.remove();
  });
  const run = (...rawArgs: string[]) => users(environment, rawArgs, `${PASSWORD}\n`);

  it('lists, adds, disables and enables', async () => {
    const { lines } = await run('list');
    expect(lines.map((line) => line.split('\t').slice(0, 4))).toEqual([
      ['clients', 'reader', 'user', 'active'],
      ['admins', 'admin', 'admin', 'active'],
      ['admins', 'moderator', 'moderator', 'active'],
    ]);
    const staff = ['--realm', 'admins', '--role', 'auditor,moderator', '--email', 'ana@example.org'];
    expect((await run('add', 'ana', ...staff)).said).toEqual(['ana was added']);
    await run('add', 'ștefan', '--plan', '3');
    expect((await run('list', '--realm', 'clients')).lines).toEqual([
      'clients\treader\tuser\tactive\tany plan\treader@limpede.local',
      'clients\tștefan\tuser\tactive\t3\tno email',
    ]);
    await run('disable', 'ana', '--realm', 'admins');
    expect((await run('list', '--realm', 'admins')).lines).toContain(
      'admins\tana\tauditor,moderator\tdisabled\tany plan\tana@example.org',
    );
    await run('enable', 'ana', '--realm', 'admins');
    expect(await identity.needs.store.users.find('admins', 'ana')).toBeDefined();
  });

  it.each([
    ['a name that is taken', ['add', 'reader'], /409 user_exists/],
    ['a name with a space', ['add', 'ana maria'], /400 validation_failed.*body\.name/],
    ['a role of the other realm', ['add', 'ion', '--role', 'admin'], /body\.roles: the roles of the realm/],
    ['staff without a role', ['add', 'ion', '--realm', 'admins'], /--role/],
    ['a plan that is none', ['add', 'ion', '--plan', 'gold'], /body\.plan/],
    ['an unknown realm', ['add', 'ion', '--realm', 'staff'], /body\.realm/],
    ['an unknown user', ['disable', 'nobody'], /404 user_not_found/],
    ['an unknown user of a password', ['password', 'nobody'], /404 user_not_found/],
    ['a realm of an unknown name', ['list', '--realm', 'staff'], /400 validation_failed/],
  ])('refuses %s', async (_name, rawArgs, message) => {
    await expect(run(...rawArgs)).rejects.toThrow(message);
  });

  it.each([
    ['none', '', /no password/],
    ['a short one', 'short\n', /body\.password/],
    ['two lines', `${PASSWORD}\nmore\n`, /nothing else/],
    ['a very long one', 'x'.repeat(5000), /too long/],
    ['a long one', 'x'.repeat(300), /body\.password/],
  ])('refuses as a password %s', async (_name, text, message) => {
    await expect(users(environment, ['password', 'reader'], text)).rejects.toThrow(message);
  });

  it('has no say in a realm that is elsewhere', async () => {
    const elsewhere = { ...environment, AUTH_CLIENTS_ISSUER: 'https://sso.example/realms/clients' };
    await expect(users(elsewhere, ['disable', 'reader'])).rejects.toThrow('https://sso.example');
    const staff = { ...environment, AUTH_ADMINS_ISSUER: 'https://sso.example/realms/admins' };
    expect((await users(staff, ['list', '--realm', 'clients'])).lines.length).toBeGreaterThan(0);
  });

  it('forgets first passwords as they are replaced, and their file with the last', async () => {
    const file = join(place.home, 'identity', 'first-passwords.json');
    const left = () => Object.keys(JSON.parse(readFileSync(file, 'utf8')));
    expect(left()).toEqual(['reader', 'moderator', 'admin']);
    await run('add', 'moderator');
    await run('password', 'moderator');
    expect(left()).toEqual(['reader', 'moderator', 'admin']);
    await Promise.all([run('password', 'reader'), run('password', 'moderator', '--realm', 'admins')]);
    expect(left()).toEqual(['admin']);
    await run('password', 'admin', '--realm', 'admins');
    expect(existsSync(file)).toBe(false);
  });

  it('leaves a line of each change, without a secret', async () => {
    const { rows } = await sql`select actor, action, realm, subject from identity_audit order by id`.execute(
      database.kysely(),
    );
    expect(rows).toContainEqual({ actor: 'limpede-cli', action: 'disable', realm: 'admins', subject: 'ana' });
    expect(rows).toContainEqual({ actor: 'first start', action: 'add', realm: 'clients', subject: 'reader' });
    expect(JSON.stringify(rows)).not.toContain(PASSWORD);
  });
});

describe('limpede users, while nothing runs', () => {
  const place = freshHome();
  afterAll(() => place.remove());
  const environment = {
    LIMPEDE_HOME: place.home,
    IDENTITY_URL: 'http://127.0.0.1:1',
    LIMPEDE_LOG_LEVEL: 'silent',
  };

  it('opens the database itself, makes the first users as a start does, and closes it again', async () => {
    const first = await users(environment, ['add', 'ana'], PASSWORD);
    expect(first.said).toHaveLength(4);
    expect(first.said[0]).toMatch(/^first user reader, shown this once: .{16}$/);
    const { lines, said } = await users(environment, ['list', '--realm', 'clients']);
    expect(lines.map((line) => line.split('\t')[1])).toEqual(['ana', 'reader']);
    expect(said).toEqual([]);
  });

  it('says in one sentence that another process has the database', async () => {
    const database = await openDatabase({ home: place.home, log: silent });
    await expect(users(environment, ['list'])).rejects.toThrow(/is in use/);
    await database.close();
  });
});

describe('a password typed at a terminal', () => {
  /** A terminal on which lines are typed, each when it is asked for. */
  function terminal(...lines: string[]) {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const shown: string[] = [];
    const prompts = Object.assign(new EventEmitter(), {
      write: (text: string) => {
        shown.push(text);
        const line = text.endsWith(': ') ? lines.shift() : undefined;
        if (line !== undefined) setImmediate(() => input.write(line));
        return true;
      },
    });
    return { shown, parts: { input, prompts } };
  }
  const environment = { IDENTITY_URL: 'http://127.0.0.1:1', LIMPEDE_HOME: '/dev/null/nothing' };
  const type = (...lines: string[]) => {
    const { shown, parts } = terminal(...lines);
    const running = runCommand(usersCommand(environment, parts), { rawArgs: ['password', 'reader'] });
    return { shown, running };
  };

  it('is asked for twice and never shown', async () => {
    const { shown, running } = type('secret words\r', 'secret words\r');
    // Both were read: the next step is the home, which is a file.
    await expect(running).rejects.toThrow('is a file');
    expect(shown).toEqual(['New password: ', '\n', 'The same again: ', '\n']);
  });

  it('must be the same twice', async () => {
    await expect(type('one\r', 'two\r').running).rejects.toThrow('the two passwords differ');
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('may be refused with %s', async (_name, key) => {
    await expect(type(key).running).rejects.toThrow('no password was given');
  });
});
