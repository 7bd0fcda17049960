import { join } from 'node:path';
import { z } from 'zod';
import { createSecretFile, identityFolder, type RealmName, readIfThere } from './keys.ts';
import { randomPassword } from './passwords.ts';
import type { IdentityStore } from './store.ts';

/** A user of the first start. */
export interface FirstUser {
  readonly realm: RealmName;
  readonly name: string;
  readonly roles: readonly string[];
}

/** The users of the first start. */
export const firstUsers: readonly FirstUser[] = [
  { realm: 'clients', name: 'reader', roles: ['user'] },
  { realm: 'admins', name: 'moderator', roles: ['moderator'] },
  { realm: 'admins', name: 'admin', roles: ['admin'] },
];

/** The file, below the identity folder, that keeps the passwords of the first start. */
const FIRST_PASSWORDS_FILE = 'first-passwords.json';

const passwordFile = z.record(z.string(), z.string().min(1));

/** The kept passwords by user name; made and kept before any user is, so that a crash between loses none. */
async function passwords(home: string): Promise<Record<string, string>> {
  const folder = identityFolder(home);
  const kept = await readIfThere(join(folder, FIRST_PASSWORDS_FILE));
  if (kept !== undefined) return passwordFile.parse(JSON.parse(kept));
  const made = Object.fromEntries(firstUsers.map(({ name }) => [name, randomPassword()]));
  const text = `${JSON.stringify(made, undefined, 2)}\n`;
  return passwordFile.parse(JSON.parse(await createSecretFile(folder, FIRST_PASSWORDS_FILE, text)));
}

/**
 * Makes the users of the first start when there are no users at all; returns the passwords of those
 * made now, by user name.
 */
export async function createFirstUsers(
  store: IdentityStore,
  home: string,
  hash: (password: string) => Promise<string>,
): Promise<Record<string, string>> {
  if (await store.hasUsers()) return {};
  const known = await passwords(home);
  const given = firstUsers.map(({ name, ...user }) => ({
    ...user,
    name,
    password: known[name] ?? randomPassword(),
  }));
  const users = given.map(async ({ realm, name, roles, password }) => ({
    realm,
    subject: name,
    email: `${name}@limpede.local`,
    roles,
    plan: null,
    passwordHash: await hash(password),
  }));
  const added = await store.addUsers(await Promise.all(users));
  const isAdded = (user: { realm: RealmName; name: string }) =>
    added.some(({ realm, subject }) => realm === user.realm && subject === user.name);
  return Object.fromEntries(given.filter(isAdded).map(({ name, password }) => [name, password]));
}
