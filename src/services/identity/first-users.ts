import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createSecretFile, identityFolder, type RealmName, readIfExists, replaceSecretFile } from './keys.ts';
import { randomPassword } from './passwords.ts';
import type { UserStore } from './user-store.ts';

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

/** Who is named in the audit for users of the first start. */
const FIRST_START = 'first start';

const passwordFile = z.record(z.string(), z.string().min(1));

/** The kept passwords by user name; made and kept before any user is, so that a crash between loses none. */
async function passwords(home: string): Promise<Record<string, string>> {
  const folder = identityFolder(home);
  const stored = await readIfExists(join(folder, FIRST_PASSWORDS_FILE));
  if (stored !== undefined) return passwordFile.parse(JSON.parse(stored));
  const made = Object.fromEntries(firstUsers.map(({ name }) => [name, randomPassword()]));
  const text = `${JSON.stringify(made, undefined, 2)}\n`;
  return passwordFile.parse(JSON.parse(await createSecretFile(folder, FIRST_PASSWORDS_FILE, text)));
}

/** The kept passwords of the first start. */
export interface FirstPasswords {
  /** Deletes the stored password of a user who has set another one; the file is deleted with the last. */
  forget(realm: RealmName, name: string): Promise<void>;
}

/** Opens the kept passwords of a home; one change after another. */
export function createFirstPasswords(home: string): FirstPasswords {
  const folder = identityFolder(home);
  const path = join(folder, FIRST_PASSWORDS_FILE);
  const forget = async (name: string) => {
    const text = await readIfExists(path);
    if (text === undefined) return;
    const { [name]: known, ...left } = passwordFile.parse(JSON.parse(text));
    if (known === undefined) return;
    if (Object.keys(left).length === 0) await rm(path, { force: true });
    else await replaceSecretFile(folder, FIRST_PASSWORDS_FILE, `${JSON.stringify(left, undefined, 2)}\n`);
  };
  let last: Promise<void> = Promise.resolve();
  return {
    forget: (realm, name) => {
      if (!firstUsers.some((user) => user.realm === realm && user.name === name)) return Promise.resolve();
      const mine = last.then(() => forget(name));
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}

/**
 * Makes the users of the first start when there are no users at all; returns the passwords of those
 * made now, by user name.
 */
export async function createFirstUsers(
  store: UserStore,
  home: string,
  hash: (password: string) => Promise<string>,
): Promise<Record<string, string>> {
  if (await store.hasAny()) return {};
  const known = await passwords(home);
  const newUsers = firstUsers.map(({ name, ...user }) => ({
    ...user,
    name,
    password: known[name] ?? randomPassword(),
  }));
  const users = newUsers.map(async ({ realm, name, roles, password }) => ({
    realm,
    subject: name,
    email: `${name}@limpede.local`,
    roles,
    plan: null,
    passwordHash: await hash(password),
  }));
  const added = await store.add(await Promise.all(users), FIRST_START);
  const isAdded = (user: { realm: RealmName; name: string }) =>
    added.some(({ realm, subject }) => realm === user.realm && subject === user.name);
  return Object.fromEntries(newUsers.filter(isAdded).map(({ name, password }) => [name, password]));
}
