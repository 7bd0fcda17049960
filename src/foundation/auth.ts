import type { IncomingHttpHeaders } from 'node:http';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Cache, createMemoryCache } from './cache.ts';

/** The realm of staff: what a role opens, it opens in a token of this realm only. */
export const STAFF_REALM = 'admins';

/** Who calls. `planCap` limits the plan that a request may ask for; null means no limit. */
export interface Caller {
  readonly subject: string;
  readonly email: string | null;
  readonly realm: string;
  readonly roles: readonly string[];
  readonly planCap: number | null;
  readonly application: string | null;
  /** Set when an API key speaks for the user: what the key may be used for. */
  readonly keyScopes?: readonly string[];
}

/** Finds the caller of a request, or throws a failure of the service's table. */
export type Authenticate = (headers: IncomingHttpHeaders) => Promise<Caller>;

/** Why a token was refused; `unavailable` says nothing about the token: the keys to check it could not be read. */
export type TokenProblem = 'invalid' | 'expired' | 'unavailable';

/** A token that must not be accepted. */
export class TokenError extends Error {
  readonly problem: TokenProblem;

  constructor(problem: TokenProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TokenError';
    this.problem = problem;
  }
}

/** A realm whose tokens are accepted. Keys come from an address, are given, or are found when first needed. */
export interface Realm {
  readonly name: string;
  readonly issuer: string;
  readonly audience?: string | undefined;
  readonly keys: URL | { keys: Record<string, unknown>[] } | JWTVerifyGetKey;
}

/** Longest names of people, applications and roles; OpenID Connect gives a subject 255 characters. */
const LONGEST_NAME = 255;

/** A name that PostgreSQL can store unchanged: no NUL, no lone surrogate. */
const name = z
  .string()
  .max(LONGEST_NAME)
  .refine((value) => !value.includes('\0') && value.isWellFormed());

const tokenClaims = z.object({
  sub: name.min(1),
  email: name.optional(),
  azp: name.optional(),
  client_id: name.optional(),
  plan_type: z.coerce.number().int().min(1).max(6).optional(),
  realm_access: z.object({ roles: z.array(name) }).optional(),
});

/** Header types of RFC 9068, which only access tokens have; the embedded provider writes the first. */
const ACCESS_TOKEN_TYPES: ReadonlySet<string> = new Set(['at+jwt', 'application/at+jwt']);
/** Values of `typ` that do not say what kind of token it is. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(['', 'jwt']);
/** Claims that only access tokens have: they say what a token may be used for. */
const ACCESS_CLAIMS = ['scope', 'scp', 'realm_access'];
/** Claims that only ID tokens have: they tie it to a sign-in. */
const ID_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash'];

/**
 * Whether a token is one that may call us. Its header says so (RFC 9068), or its claims do: Keycloak's `typ` is `Bearer`,
 * and a token of another provider says what it may do. ID, refresh and logout tokens do neither.
 */
function isAccessToken(header: JWTHeaderParameters, payload: JWTPayload): boolean {
  const type = (header.typ ?? '').toLowerCase();
  const { typ } = payload;
  if (typ !== undefined && (typeof typ !== 'string' || typ.toLowerCase() !== 'bearer')) return false;
  if (ACCESS_TOKEN_TYPES.has(type)) return true;
  if (!PLAIN_TYPES.has(type)) return false;
  const has = (claim: string) => payload[claim] !== undefined;
  return typ !== undefined || (ACCESS_CLAIMS.some(has) && !ID_CLAIMS.some(has));
}

/** Recently verified tokens; an entry expires with its token. */
const CACHED_TOKENS = 1000;
const LONGEST_CACHE_MS = 60_000;

function toCaller(payload: JWTPayload, realm: string): Caller {
  const claims = tokenClaims.safeParse(payload);
  if (!claims.success) throw new TokenError('invalid', 'The token lacks the claims of a user.');
  const { sub, email, azp, client_id, plan_type, realm_access } = claims.data;
  return {
    subject: sub,
    email: email ?? null,
    realm,
    roles: realm_access?.roles ?? [],
    planCap: plan_type ?? null,
    application: azp ?? client_id ?? null,
  };
}

/** The issuer that an unverified token names. */
function claimedIssuer(token: string): string | undefined {
  const middle = token.split('.')[1] ?? '';
  try {
    const payload: unknown = JSON.parse(Buffer.from(middle, 'base64url').toString('utf8'));
    const issuer = (payload as { iss?: unknown } | null)?.iss;
    return typeof issuer === 'string' ? issuer : undefined;
  } catch {
    return undefined;
  }
}

/** Errors that concern the token; any other error means that the key set could not be read. */
const TOKEN_FAULTS = [
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
  errors.JOSENotSupported,
  errors.JWSInvalid,
  errors.JWTInvalid,
];

/** How long a key set is used before it is fetched again, in milliseconds. */
const KEYS_MAX_AGE_MS = 600_000;

/** Bytes of the largest key set that is read: sets in use have a few thousand. */
const KEY_SET_BYTES = 262_144;

/** The text of an answer; rejects when it is larger than it may be. */
async function textWithin(response: Response, bytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > bytes) throw new Error('the key set is larger than any that is read');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Fetches a key set: the first time from the cache, where another process may have left it; after that it is asked for because it
 * is old or lacks a key, and comes from its address.
 */
function fetchThrough(cache: Cache): { fetch: FetchImplementation; fromCache(): boolean } {
  let isFirst = true;
  let fromCache = false;
  const fetchSet: FetchImplementation = async (url, options) => {
    const cached = isFirst ? await cache.get(url) : undefined;
    isFirst = false;
    fromCache = cached !== undefined;
    if (cached !== undefined) return new Response(cached);
    const response = await fetch(url, options);
    if (response.status !== 200) return response;
    const body = await textWithin(response, KEY_SET_BYTES);
    await cache.set(url, body, KEYS_MAX_AGE_MS);
    return new Response(body);
  };
  return { fetch: fetchSet, fromCache: () => fromCache };
}

/** Keys of an address, fetched when first needed and again when they age or a token names a new one. */
export function remoteKeys(address: URL, cache: Cache): JWTVerifyGetKey {
  const { fetch: fetchSet, fromCache } = fetchThrough(cache);
  const keys = createRemoteJWKSet(address, {
    timeoutDuration: 5000,
    cooldownDuration: 5000,
    cacheMaxAge: KEYS_MAX_AGE_MS,
    [customFetch]: fetchSet,
  });
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      if (!fromCache() || !(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // A set from the cache may be older than the key.
      await keys.reload();
      return keys(header, token);
    }
  };
}

function keysOf(realm: Realm, cache: Cache): JWTVerifyGetKey {
  if (realm.keys instanceof URL) return remoteKeys(realm.keys, cache);
  if (typeof realm.keys === 'function') return realm.keys;
  return createLocalJWKSet(realm.keys as Parameters<typeof createLocalJWKSet>[0]);
}

/** The same keys; a failure to read the set becomes a TokenError `unavailable` instead of one about the token. */
function tellingOutages(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      if (error instanceof TokenError || TOKEN_FAULTS.some((fault) => error instanceof fault)) throw error;
      throw new TokenError('unavailable', 'The keys that check tokens cannot be read at the moment.', error);
    }
  };
}

/** Checks signature (RS256 only), issuer, audience, expiry and kind of tokens of several realms. */
export function createTokenVerifier(
  realms: readonly Realm[],
  cache: Cache = createMemoryCache(),
): (token: string) => Promise<Caller> {
  const sources = new Map<string, { realm: Realm; keys: JWTVerifyGetKey }>();
  for (const realm of realms) {
    const keys = tellingOutages(keysOf(realm, cache));
    sources.set(realm.issuer, { realm, keys });
  }
  const verified = new LRUCache<string, Caller>({ max: CACHED_TOKENS });

  async function verify(token: string): Promise<Caller> {
    const verifiedCaller = verified.get(token);
    if (verifiedCaller !== undefined) return verifiedCaller;
    const source = sources.get(claimedIssuer(token) ?? '');
    if (source === undefined) throw new TokenError('invalid', 'The token comes from an unknown issuer.');
    const { realm, keys } = source;
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      algorithms: ['RS256'],
      issuer: realm.issuer,
      requiredClaims: ['exp', 'sub'],
      ...(realm.audience !== undefined && { audience: realm.audience }),
    });
    if (!isAccessToken(protectedHeader, payload))
      throw new TokenError('invalid', 'The token is not an access token.');
    const caller = toCaller(payload, realm.name);
    const left = Number(payload.exp) * 1000 - Date.now();
    if (left > 0) verified.set(token, caller, { ttl: Math.min(left, LONGEST_CACHE_MS) });
    return caller;
  }

  return async (token) => {
    try {
      return await verify(token);
    } catch (error) {
      if (error instanceof TokenError) throw error;
      if (error instanceof errors.JWTExpired)
        throw new TokenError('expired', 'The token has expired.', error);
      throw new TokenError('invalid', 'The token is not valid.', error);
    }
  };
}

/** The bearer token of a request, or undefined. */
export function bearerToken(headers: IncomingHttpHeaders): string | undefined {
  const match = /^Bearer +([^\s]+) *$/i.exec(headers.authorization ?? '');
  return match?.[1];
}
