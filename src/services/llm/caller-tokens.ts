import { createHash, timingSafeEqual } from 'node:crypto';

/** Callers without a token share this name. */
export const ANONYMOUS = 'anonymous';

/** Longer tokens are refused: the comparison is over buffers of one fixed size. */
const LONGEST_TOKEN_BYTES = 512;
const SCHEME = /^Bearer +/i;

interface Known {
  readonly token: Buffer;
  readonly caller: string;
}

/** A name for a token that does not give it away: the start of its SHA-256. */
export function callerName(token: string): string {
  return `token-${createHash('sha256').update(token).digest('hex').slice(0, 12)}`;
}

function padded(token: string): Buffer {
  const bytes = Buffer.alloc(LONGEST_TOKEN_BYTES);
  bytes.write(token, 'utf8');
  return bytes;
}

/** Finds the caller of an Authorization header, or undefined. Every known token is compared, in constant time. */
export function createTokenCheck(
  tokens: readonly string[],
): (authorization: string | undefined) => string | undefined {
  const tooLong = tokens.find((token) => Buffer.byteLength(token) > LONGEST_TOKEN_BYTES);
  if (tooLong !== undefined) throw new Error(`tokens are at most ${LONGEST_TOKEN_BYTES} bytes long`);
  const known = tokens.map((token): Known => ({ token: padded(token), caller: callerName(token) }));
  if (known.length === 0) return () => ANONYMOUS;
  const presented = Buffer.alloc(LONGEST_TOKEN_BYTES);
  return (authorization) => {
    if (authorization === undefined) return undefined;
    const scheme = SCHEME.exec(authorization)?.[0].length ?? 0;
    if (scheme === 0 || authorization.length - scheme > LONGEST_TOKEN_BYTES) return undefined;
    presented.fill(0);
    presented.write(authorization.slice(scheme).trimEnd(), 'utf8');
    let caller: string | undefined;
    for (const candidate of known) if (timingSafeEqual(candidate.token, presented)) caller = candidate.caller;
    return caller;
  };
}
