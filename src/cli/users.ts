import { type CommandDef, defineCommand } from 'citty';
import { request } from 'undici';
import { z } from 'zod';
import { STAFF_REALM } from '../foundation/auth.ts';
import { fillPath, type Operation } from '../foundation/contract.ts';
import { realmSettings } from '../foundation/realms.ts';
import { type Environment, parseSettings } from '../foundation/settings.ts';
import { identity, userOperations } from '../services/identity/contract.ts';
import type { RealmName } from '../services/identity/keys.ts';
import { type Api, callJson } from './api.ts';
import { signedToken } from './own-token.ts';
import { type PasswordTerminal, readNewPassword } from './password-input.ts';
import { freePort } from './platform-access.ts';
import { UserError } from './user-error.ts';

/** Longest wait to learn whether the identity service runs, in milliseconds. */
const GREETING_MS = 1_000;
/** Seconds that a token of this command is valid. */
const TOKEN_SECONDS = 300;
/** Who is named in the audit. */
const ACTOR = 'limpede-cli';
const PAGE = 100;

const issuers = z.object({
  AUTH_CLIENTS_ISSUER: realmSettings.AUTH_CLIENTS_ISSUER,
  AUTH_ADMINS_ISSUER: realmSettings.AUTH_ADMINS_ISSUER,
});
const greeting = z.object({ resource: z.object({ name: z.literal(identity.name) }) });

/** Whether an identity service answers there: no other program is sent a token. */
async function isIdentity(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${url}${identity.operations.info.path}`, {
      signal: AbortSignal.timeout(GREETING_MS),
    });
    const answer: unknown = await body.json();
    return statusCode === 200 && greeting.safeParse(answer).success;
  } catch {
    return false;
  }
}

/** The identity service alone, in this process, for one call: on the first start of an installation it makes the first users. */
async function startIdentity(environment: Environment, say: (line: string) => void) {
  const { startPlatform } = await import('../main.ts');
  const running = await startPlatform({
    LIMPEDE_LOG_LEVEL: 'warn',
    ...environment,
    LIMPEDE_SERVICES: identity.name,
    LIMPEDE_INTERNAL_HOST: '127.0.0.1',
    IDENTITY_PORT: String(await freePort()),
  });
  for (const [name, password] of Object.entries(running.firstPasswords))
    say(`first user ${name}, shown this once: ${password}`);
  return { url: running.services[0]?.url ?? '', stop: running.stop };
}

/** Asks the identity service that runs, or one that is started for this call, as an administrator. */
async function withIdentity<Result>(
  environment: Environment,
  say: (line: string) => void,
  work: (api: Api) => Promise<Result>,
): Promise<Result> {
  // Loaded only here: it brings the list of all services.
  const { serviceUrl } = await import('../main.ts');
  const url = serviceUrl(identity.name, environment);
  const runs = url !== undefined && (await isIdentity(url));
  const place = runs ? { url, stop: async () => {} } : await startIdentity(environment, say);
  try {
    // The provider knows its own staff, wherever the other services find theirs.
    const own = { ...environment, AUTH_ADMINS_ISSUER: undefined };
    const options = { realm: STAFF_REALM, user: ACTOR, role: 'admin', ttl: TOKEN_SECONDS } as const;
    return await work({ url: place.url, ...(await signedToken(own, options)) });
  } finally {
    await place.stop();
  }
}

/** Refuses a realm whose users are kept by another provider. */
function refuseExternal(realm: string, environment: Environment): void {
  const { AUTH_CLIENTS_ISSUER, AUTH_ADMINS_ISSUER } = parseSettings(issuers, environment);
  const issuer = realm === STAFF_REALM ? AUTH_ADMINS_ISSUER : AUTH_CLIENTS_ISSUER;
  if (issuer !== undefined)
    throw new UserError(`users of ${realm} are kept by ${issuer}, not by the embedded provider`);
}

type UserParams = Readonly<{ realm: string; name: string }>;

async function call(api: Api, operation: Operation, params: UserParams, body?: unknown) {
  const path = fillPath(operation.path, params);
  await callJson(api, operation.method, path, body === undefined ? {} : { body });
}

/** The users, one in a line: realm, name, roles, state, plan, email. */
async function listUsers(api: Api, realm: string | undefined): Promise<string[]> {
  const lines: string[] = [];
  const chosen = realm === undefined ? '' : `&realm=${encodeURIComponent(realm)}`;
  for (let page = 1, pages = 1; page <= pages; page++) {
    const path = `${userOperations.users.path}?page=${page}&limit=${PAGE}${chosen}`;
    const { data } = userOperations.users.answer.parse(await callJson(api, 'GET', path));
    pages = data.pagination.pages;
    for (const { realm: where, name, roles, disabled, plan, email } of data.items) {
      const state = disabled ? 'disabled' : 'active';
      lines.push([where, name, roles.join(','), state, plan ?? 'any plan', email ?? 'no email'].join('\t'));
    }
  }
  return lines;
}

const name = { type: 'positional', required: true, description: 'The name of the user' } as const;
const realm = { type: 'string', description: 'clients or admins', default: 'clients' } as const;

const addArgs = {
  name,
  realm,
  role: { type: 'string', description: 'Roles, comma-separated; unset means user in clients' },
  email: { type: 'string', description: 'The email address in tokens' },
  plan: { type: 'string', description: 'The highest plan that requests may ask for, 1 to 6' },
} as const;

type AddOptions = UserParams & Readonly<Record<'role' | 'email' | 'plan', string | undefined>>;

/** The body of a new user; what is wrong with it the service says. */
function newUser({ name: who, realm: where, role, email, plan }: AddOptions, password: string) {
  if (role === undefined && where === STAFF_REALM) throw new UserError('--role: name the roles of the user');
  return {
    realm: where as RealmName,
    name: who,
    password,
    roles: (role ?? 'user').split(',').map((one) => one.trim()),
    ...(email !== undefined && { email }),
    ...(plan !== undefined && { plan: Number(plan) }),
  };
}

const TERMINAL: PasswordTerminal = { input: process.stdin, prompts: process.stderr };

const say = (line: string) => console.error(line);

function listCommand(environment: Environment) {
  return defineCommand({
    meta: { name: 'list', description: 'List the users' },
    args: { realm: { type: 'string', description: 'clients or admins; unset means both' } },
    run: async ({ args }) => {
      const lines = await withIdentity(environment, say, (api) => listUsers(api, args.realm));
      for (const line of lines) console.log(line);
    },
  });
}

/** `limpede users`: users of the embedded identity provider, while the platform runs and while it does not. */
export function usersCommand(environment: Environment, terminal = TERMINAL) {
  const run = (where: string, work: (api: Api) => Promise<void>) => {
    refuseExternal(where, environment);
    return withIdentity(environment, say, work);
  };
  const add = defineCommand({
    meta: { name: 'add', description: 'Add a user, with a password from the terminal or standard input' },
    args: addArgs,
    run: async ({ args }) => {
      refuseExternal(args.realm, environment);
      const body = newUser(args, await readNewPassword(terminal));
      await run(args.realm, (api) => call(api, userOperations.addUser, args, body));
      say(`${args.name} was added`);
    },
  });
  const password = defineCommand({
    meta: { name: 'password', description: 'Set a new password and end what was signed in with the old one' },
    args: { name, realm },
    run: async ({ args }) => {
      refuseExternal(args.realm, environment);
      const body = { password: await readNewPassword(terminal) };
      await run(args.realm, (api) => call(api, userOperations.setPassword, args, body));
      say(`${args.name} has a new password`);
    },
  });
  const change = (verb: 'disable' | 'enable', description: string) =>
    defineCommand({
      meta: { name: verb, description },
      args: { name, realm },
      run: async ({ args }) => {
        const operation = verb === 'disable' ? userOperations.disableUser : userOperations.enableUser;
        await run(args.realm, (api) => call(api, operation, args));
        say(`${args.name} was ${verb}d`);
      },
    });
  const disable = change('disable', 'Let a user in no more; sessions and refresh tokens end');
  const enable = change('enable', 'Let a disabled user sign in again');
  const command = defineCommand({
    meta: { name: 'users', description: 'List, add and disable users of the embedded identity provider' },
    subCommands: { list: listCommand(environment), add, password, disable, enable },
  });
  // The subcommands take different arguments; the parser reads each by its own.
  return command as CommandDef;
}
