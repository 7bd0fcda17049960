import { resolve } from 'node:path';
import { type CommandDef, defineCommand } from 'citty';
import { z } from 'zod';
import { platformSettings, publicUrlOf } from '../foundation/platform.ts';
import { realmSettings } from '../foundation/realms.ts';
import { type Environment, parseSettings, SettingsError } from '../foundation/settings.ts';
import { firstUsers } from '../services/identity/first-users.ts';
import { loadKeys, realmNames, signToken } from '../services/identity/keys.ts';

/** 12 h, in seconds. */
const DEFAULT_LIFETIME = 43_200;
/** A year, in seconds. */
const LONGEST_LIFETIME = 31_536_000;

const tokenOptions = z.object({
  realm: z.enum(realmNames).default('clients'),
  user: z.string().trim().min(1).max(200).optional(),
  role: z.string().trim().min(1).optional(),
  plan: z.coerce.number().int().min(1).max(6).optional(),
  ttl: z.coerce.number().int().min(1).max(LONGEST_LIFETIME).default(DEFAULT_LIFETIME),
});

/** The realm and what else is not the default, as typed. */
export type TokenOptions = z.input<typeof tokenOptions>;

const environmentVariables = z.object({
  LIMPEDE_HOME: platformSettings.shape.LIMPEDE_HOME,
  LIMPEDE_PORT: platformSettings.shape.LIMPEDE_PORT,
  LIMPEDE_PUBLIC_URL: platformSettings.shape.LIMPEDE_PUBLIC_URL,
  AUTH_CLIENTS_ISSUER: realmSettings.AUTH_CLIENTS_ISSUER,
  AUTH_ADMINS_ISSUER: realmSettings.AUTH_ADMINS_ISSUER,
});

/** Who a token is for unless said otherwise: the same users that sign in on the page. */
const DEFAULTS = { clients: { user: 'reader', role: 'user' }, admins: { user: 'admin', role: 'admin' } };

function parseOptions(options: TokenOptions): z.output<typeof tokenOptions> {
  const result = tokenOptions.safeParse(options);
  if (result.success) return result.data;
  throw new SettingsError(result.error.issues.map((issue) => `--${issue.path.join('.')}: ${issue.message}`));
}

/** A token of the embedded provider, signed with its key files; nothing needs to run. */
export async function makeToken(options: TokenOptions, environment: Environment): Promise<string> {
  const { realm, user, role, plan, ttl } = parseOptions(options);
  const settings = parseSettings(environmentVariables, environment);
  const external = realm === 'clients' ? settings.AUTH_CLIENTS_ISSUER : settings.AUTH_ADMINS_ISSUER;
  if (external !== undefined)
    throw new SettingsError([
      `--realm: tokens of ${realm} come from ${external}, not from the embedded provider`,
    ]);
  const subject = user ?? DEFAULTS[realm].user;
  const isFirst = firstUsers.some((first) => first.realm === realm && first.name === subject);
  const publicUrl = publicUrlOf(settings, environment);
  return signToken(await loadKeys(resolve(settings.LIMPEDE_HOME), realm), publicUrl, {
    realm,
    subject,
    roles: (role ?? DEFAULTS[realm].role).split(',').map((name) => name.trim()),
    email: isFirst ? `${subject}@limpede.local` : undefined,
    plan,
    application: 'limpede-cli',
    lifetime: ttl,
  });
}

const args = {
  realm: { type: 'string', description: 'clients or admins', default: 'clients' },
  user: { type: 'string', description: 'The user; unset means reader in clients, admin in admins' },
  role: {
    type: 'string',
    description: 'Roles, comma-separated; unset means user in clients, admin in admins',
  },
  plan: { type: 'string', description: 'The highest plan that requests may ask for, 1 to 6' },
  ttl: { type: 'string', description: 'Seconds until the token expires', default: String(DEFAULT_LIFETIME) },
} as const;

/** `limpede token`: prints a token and nothing else. */
export function tokenCommand(environment: Environment): CommandDef<typeof args> {
  return defineCommand({
    meta: { name: 'token', description: 'Print a token of the embedded identity provider' },
    args,
    run: async ({ args: { realm, user, role, plan, ttl } }) => {
      const options = { realm, user, role, plan, ttl };
      const present = Object.entries(options).filter(([, value]) => value !== undefined);
      console.log(await makeToken(Object.fromEntries(present) as TokenOptions, environment));
    },
  });
}
