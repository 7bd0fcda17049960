import { createHash, timingSafeEqual } from 'node:crypto';
import type { Authenticate } from './auth.ts';
import type { FailureMaker } from './errors.ts';

/** Callers without a token share this name. */
export const ANONYMOUS = 'anonymous';

/** The name of our own services, which share one token; the text-model gateway sets it no rate limit. */
export const INTERNAL = 'internal';

/** Longer tokens are refused: the comparison is over buffers of one fixed size. */
const LONGEST_TOKEN_BYTES = 512;
const LENGTH_BYTES = 2;
const BUFFER_BYTES = LENGTH_BYTES + LONGEST_TOKEN_BYTES;
const SCHEME = /^Bearer +/i;

interface TokenEntry {
  readonly token: Buffer;
  readonly caller: string;
}

/** A name for a token that does not reveal it: the beginning of its SHA-256. */
export function callerName(token: string): string {
  return `token-${createHash('sha256').update(token).digest('hex').slice(0, 12)}`;
}

/** Writes a token into a buffer of the fixed size: its length, then its bytes, then zeros. */
function pad(token: string, buffer: Buffer): Buffer {
  buffer.fill(0);
  buffer.writeUInt16LE(buffer.write(token, LENGTH_BYTES, 'utf8'), 0);
  return buffer;
}

/**
 * Finds the caller of an Authorization header, or undefined. Every known token is compared, in constant time. Without tokens
 * everybody may call; `internal` is the token of our own services.
 */
export function createTokenCheck(
  tokens: readonly string[],
  internal?: string,
): (authorization: string | undefined) => string | undefined {
  const all = internal === undefined ? tokens : [...tokens, internal];
  const tooLong = all.find((token) => Buffer.byteLength(token) > LONGEST_TOKEN_BYTES);
  if (tooLong !== undefined) throw new Error(`tokens are at most ${LONGEST_TOKEN_BYTES} bytes long`);
  const known = all.map((token): TokenEntry => {
    const caller = token === internal ? INTERNAL : callerName(token);
    return { token: pad(token, Buffer.alloc(BUFFER_BYTES)), caller };
  });
  const stranger = tokens.length === 0 ? ANONYMOUS : undefined;
  if (known.length === 0) return () => stranger;
  const presented = Buffer.alloc(BUFFER_BYTES);
  return (authorization) => {
    if (authorization === undefined) return stranger;
    const scheme = SCHEME.exec(authorization)?.[0].length ?? 0;
    if (scheme === 0 || authorization.length - scheme > LONGEST_TOKEN_BYTES) return stranger;
    pad(authorization.slice(scheme).trimEnd(), presented);
    let caller = stranger;
    for (const candidate of known) if (timingSafeEqual(candidate.token, presented)) caller = candidate.caller;
    return caller;
  };
}

/** Authenticates callers by one of the tokens; without tokens everybody may call. */
export function authenticateByToken(
  tokens: readonly string[],
  service: string,
  refusal: FailureMaker,
): Authenticate {
  const callerOf = createTokenCheck(tokens);
  return async ({ authorization }) => {
    const subject = callerOf(authorization);
    if (subject === undefined) throw refusal();
    return { subject, email: null, realm: service, roles: [], planCap: null, application: null };
  };
}
