import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What every key begins with, so that people and scanners for leaked secrets know what they see. */
const PREFIX = 'lmp_ext_';
const SECRET_BYTES = 32;
/** Characters of the secret that may be shown again: they tell keys of one owner apart and give 24 of 256 bits away. */
const SHOWN_LENGTH = 4;

const FORM = new RegExp(`^${PREFIX}([\\w-]{43})([\\w-]{6})$`);

/** The header in which the service that keeps the keys names the owner of an accepted key to the gateway, which does not relay it. */
export const KEY_OWNER_HEADER = 'x-limpede-key-owner';

/** A new key and the part of it that may be shown again. */
export interface NewApiKey {
  readonly key: string;
  readonly prefix: string;
}

/** CRC-32 of the secret in base64url: 6 characters. It finds mistyped and cut keys; it protects nothing. */
function checksum(secret: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(secret));
  return bytes.toString('base64url');
}

/** Makes a key: the prefix, 256 random bits, a checksum. */
export function createApiKey(): NewApiKey {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return {
    key: `${PREFIX}${secret}${checksum(secret)}`,
    prefix: `${PREFIX}${secret.slice(0, SHOWN_LENGTH)}`,
  };
}

/** Whether a text has the form of a key and the right checksum; such a key need not exist. */
export function isApiKey(text: string): boolean {
  const [, secret, sum] = FORM.exec(text) ?? [];
  return secret !== undefined && sum === checksum(secret);
}

/**
 * The name under which a key is kept: its SHA-256, hexadecimal. A slow hash with a salt protects passwords, which can be
 * guessed; 256 random bits cannot, and a plain hash can be looked up by an index.
 */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
