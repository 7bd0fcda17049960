import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { z } from 'zod';
import { EMBEDDED_AUDIENCE, embeddedIssuer } from '../../foundation/realms.ts';

/** The realms of the embedded provider: readers of analyses, and staff. */
export const realmNames = ['clients', 'admins'] as const;

/** The name of a realm. */
export type RealmName = (typeof realmNames)[number];

const rsaKey = z.object({
  kty: z.literal('RSA'),
  kid: z.string().min(1),
  alg: z.literal('RS256'),
  use: z.literal('sig'),
  n: z.string(),
  e: z.string(),
  d: z.string(),
  p: z.string(),
  q: z.string(),
  dp: z.string(),
  dq: z.string(),
  qi: z.string(),
});

/** Private signing keys, the first of which signs, and the secrets that sign cookies. */
const realmKeys = z.object({ keys: z.array(rsaKey).min(1), cookies: z.array(z.string().min(32)).min(1) });

/** What a realm signs with. */
export type RealmKeys = z.infer<typeof realmKeys>;

/** Bits of new RSA keys. */
const KEY_BITS = 2048;

/** The folder of keys and first passwords. */
export function identityFolder(home: string): string {
  return join(home, 'identity');
}

/** Reads a file, or undefined when there is none. */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes a secret that does not exist yet, complete or not at all, readable by its owner only. When another process
 * was first, its file stays. Returns the text that the file holds.
 */
export async function createSecretFile(folder: string, name: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  const draft = join(folder, `.${name}.${randomUUID()}`);
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, 'utf8');
}

/** Replaces a secret file, complete or not at all. */
export async function replaceSecretFile(folder: string, name: string, text: string): Promise<void> {
  const draft = join(folder, `.${name}.${randomUUID()}`);
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    await rename(draft, join(folder, name));
  } finally {
    await rm(draft, { force: true });
  }
}

async function createKeys(): Promise<RealmKeys> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: KEY_BITS, extractable: true });
  const key = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(key);
  return realmKeys.parse({
    keys: [{ ...key, kid, alg: 'RS256', use: 'sig' }],
    cookies: [randomBytes(32).toString('base64url')],
  });
}

function parseKeys(text: string, name: string): RealmKeys {
  try {
    return realmKeys.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(
      `The key file ${name} is damaged. Restore it, or delete it to make every token invalid.`,
      {
        cause,
      },
    );
  }
}

/** The keys of a realm, made when there are none; several processes that start at once agree on one set. */
export async function loadKeys(home: string, realm: RealmName): Promise<RealmKeys> {
  const folder = identityFolder(home);
  const name = `${realm}-keys.json`;
  const path = join(folder, name);
  const stored = await readIfExists(path);
  if (stored !== undefined) {
    await chmod(path, 0o600);
    return parseKeys(stored, name);
  }
  const made = JSON.stringify(await createKeys(), undefined, 2);
  return parseKeys(await createSecretFile(folder, name, made), name);
}

/** The keys that check what a realm has signed. */
export function publicKeys({ keys }: RealmKeys): Record<string, unknown>[] {
  return keys.map(({ kty, kid, alg, use, n, e }) => ({ kty, kid, alg, use, n, e }));
}

/** What a token of the embedded provider says. */
export interface TokenRequest {
  readonly realm: RealmName;
  readonly subject: string;
  readonly roles: readonly string[];
  readonly email?: string | undefined;
  readonly plan?: number | undefined;
  /** The application that asks. */
  readonly application: string;
  /** Seconds until it expires. */
  readonly lifetime: number;
}

/** Signs an access token with the keys of its realm; needs no database and no running service. */
export async function signToken(keys: RealmKeys, publicUrl: string, request: TokenRequest): Promise<string> {
  const [key] = keys.keys;
  if (key === undefined) throw new Error(`The realm ${request.realm} has no key.`);
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    azp: request.application,
    client_id: request.application,
    realm_access: { roles: request.roles },
    preferred_username: request.subject,
    ...(request.email !== undefined && { email: request.email }),
    ...(request.plan !== undefined && { plan_type: request.plan }),
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key.kid })
    .setIssuer(embeddedIssuer(publicUrl, request.realm))
    .setAudience(EMBEDDED_AUDIENCE)
    .setSubject(request.subject)
    .setIssuedAt(now)
    .setExpirationTime(now + request.lifetime)
    .setJti(randomUUID())
    .sign(await importJWK(key, 'RS256'));
}
