import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';

/** Cost of new hashes: 32 MiB and three passes, the setting that OWASP's password storage cheat sheet lists for scrypt. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
/** scrypt needs 128 * N * r bytes and a little more. */
const MEMORY_LIMIT = 128 * 1024 * 1024;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Random bytes of a generated password: 96 bits, 16 characters. */
const PASSWORD_BYTES = 12;
/** Longer passwords are refused before they are hashed. */
export const LONGEST_PASSWORD = 256;

/** What a hash costs: the numbers that scrypt takes. */
export interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

function derive(password: string, salt: Buffer, cost: Cost): Buffer {
  // NFKC: the same password typed on two keyboards may be composed differently.
  return scryptSync(password.normalize('NFKC'), salt, HASH_BYTES, { ...cost, maxmem: MEMORY_LIMIT });
}

/** A random password that is easy to copy. */
export function randomPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

/** The hash of a password with its salt and cost, as text: `scrypt$N$r$p$salt$hash`. Holds its thread for about 0.3 s at the usual cost. */
export function hashPassword(password: string, cost: Cost = COST): string {
  const salt = randomBytes(SALT_BYTES);
  const hash = derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** A hash that no password matches, at the usual cost, so that unknown names take as long as known ones. */
export const dummyHash: string = [
  'scrypt',
  COST.N,
  COST.r,
  COST.p,
  ...[SALT_BYTES, HASH_BYTES].map(zeros),
].join('$');

function zeros(bytes: number): string {
  return Buffer.alloc(bytes).toString('base64url');
}

/** A password and the hash that it may belong to. */
export interface PasswordQuestion {
  readonly password: string;
  readonly stored: string;
}

/** Whether a password belongs to a hash. Holds its thread for about 0.3 s. */
export function passwordMatches({ password, stored }: PasswordQuestion): boolean {
  const [scheme, N, r, p, salt, hash] = stored.split('$');
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const typed = derive(password, Buffer.from(salt, 'base64url'), cost);
  return typed.length === expected.length && timingSafeEqual(typed, expected);
}
