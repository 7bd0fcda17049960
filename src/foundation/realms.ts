import type { IncomingHttpHeaders } from 'node:http';
import type { JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { isApiKey } from './api-keys.ts';
import {
  type Authenticate,
  bearerToken,
  type Caller,
  type Realm,
  remoteKeys,
  STAFF_REALM,
  TokenError,
  type TokenProblem,
} from './auth.ts';
import { type Cache, createMemoryCache } from './cache.ts';
import type { Failure, FailureMaker } from './errors.ts';
import { address, dependency, optionalText, SettingsError } from './settings.ts';
import { createVendorClient, type VendorClient } from './vendor-client.ts';

/** The settings that say whose tokens a service accepts; spread into the service's own. */
export const realmSettings = {
  IDENTITY_URL: dependency().describe(
    'Where the embedded identity service is reached for its key sets; `none` switches it off.',
  ),
  AUTH_CLIENTS_ISSUER: issuerAddress().describe(
    'The OIDC issuer of the realm of users; unset means the realm `clients` of the embedded provider.',
  ),
  AUTH_CLIENTS_JWKS_URL: address().describe(
    'The key set of the realm of users; unset means that it is found from the issuer.',
  ),
  AUTH_CLIENTS_AUDIENCE: optionalText().describe(
    'The audience that tokens of users must name; required with AUTH_CLIENTS_ISSUER, else `limpede`.',
  ),
  AUTH_ADMINS_ISSUER: issuerAddress().describe(
    'The OIDC issuer of the realm of staff; unset means the realm `admins` of the embedded provider.',
  ),
  AUTH_ADMINS_JWKS_URL: address().describe(
    'The key set of the realm of staff; unset means that it is found from the issuer.',
  ),
  AUTH_ADMINS_AUDIENCE: optionalText().describe(
    'The audience that tokens of staff must name; required with AUTH_ADMINS_ISSUER, else `limpede`.',
  ),
};

/** The audience of tokens of the embedded provider; keeps its ID tokens from passing as access tokens. */
export const EMBEDDED_AUDIENCE = 'limpede';

type RealmSettings = z.infer<z.ZodObject<typeof realmSettings>>;

const REALMS = ['CLIENTS', 'ADMINS'] as const;

/**
 * Problems of the realm settings in combination: without an audience, a token that an external provider issued
 * for any other application would be accepted here.
 */
export function realmProblems(settings: Partial<RealmSettings>): string[] {
  return REALMS.flatMap((realm) => {
    const issuer = settings[`AUTH_${realm}_ISSUER`];
    if (issuer === undefined || settings[`AUTH_${realm}_AUDIENCE`] !== undefined) return [];
    const setting = `AUTH_${realm}_AUDIENCE`;
    return [
      `${setting}: must name the audience of this installation, because AUTH_${realm}_ISSUER is ${issuer}`,
    ];
  });
}

/** Time limit for the discovery document of an external provider, in milliseconds. */
const DISCOVERY_LIMIT_MS = 5000;
/** Bytes of its answer: documents in use have a few thousand. */
const DISCOVERY_BYTES = 262_144;

/** Issuers are compared as exact strings, so they are not normalised. */
function issuerAddress() {
  return z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional();
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

async function discover(issuer: string, provider: VendorClient, cache: Cache): Promise<JWTVerifyGetKey> {
  const answer = await provider.getJson('/.well-known/openid-configuration', discovery);
  if (!answer.ok) throw new Error(answer.message);
  if (answer.value.issuer !== issuer) throw new Error(`the issuer calls itself ${answer.value.issuer}`);
  await provider.close();
  return remoteKeys(new URL(answer.value.jwks_uri), cache);
}

/** Keys of an external issuer. Their address is discovered on first use, and again after a failure. */
function discoveredKeys(issuer: string, cache: Cache): JWTVerifyGetKey {
  const provider = createVendorClient({
    name: 'identity provider',
    baseUrl: issuer,
    timeoutMs: DISCOVERY_LIMIT_MS,
    answerBytes: DISCOVERY_BYTES,
  });
  let finding: Promise<JWTVerifyGetKey> | undefined;
  return async (header, token) => {
    finding ??= discover(issuer, provider, cache).catch((error: unknown) => {
      finding = undefined;
      throw error;
    });
    const keys = await finding;
    return keys(header, token);
  };
}

/** The issuer of a realm of the embedded provider. */
export function embeddedIssuer(publicUrl: string, realm: string): string {
  return `${publicUrl}/realms/${realm}`;
}

interface RealmChoice {
  name: string;
  issuer: string | undefined;
  jwksUrl: string | undefined;
  audience: string | undefined;
}

function toRealm(
  choice: RealmChoice,
  publicUrl: string,
  identityUrl: string | undefined,
  cache: Cache,
): Realm[] {
  const { name, issuer, jwksUrl, audience } = choice;
  const keySet = jwksUrl === undefined ? undefined : new URL(jwksUrl);
  if (issuer !== undefined)
    return [{ name, issuer, audience, keys: keySet ?? discoveredKeys(issuer, cache) }];
  if (identityUrl === 'none') return [];
  const embedded = embeddedIssuer(publicUrl, name);
  const source = identityUrl === undefined ? embedded : `${identityUrl}/realms/${name}`;
  return [
    {
      name,
      issuer: embedded,
      audience: audience ?? EMBEDDED_AUDIENCE,
      keys: keySet ?? new URL(`${source}/jwks`),
    },
  ];
}

/**
 * The realms whose tokens are accepted. Without IDENTITY_URL the key sets are fetched through the public address. Throws
 * a SettingsError when an external issuer has no audience.
 */
export function realmsFrom(
  settings: RealmSettings,
  publicUrl: string,
  cache: Cache = createMemoryCache(),
): Realm[] {
  const problems = realmProblems(settings);
  if (problems.length > 0) throw new SettingsError(problems);
  const clients = {
    name: 'clients',
    issuer: settings.AUTH_CLIENTS_ISSUER,
    jwksUrl: settings.AUTH_CLIENTS_JWKS_URL,
    audience: settings.AUTH_CLIENTS_AUDIENCE,
  };
  const admins = {
    name: STAFF_REALM,
    issuer: settings.AUTH_ADMINS_ISSUER,
    jwksUrl: settings.AUTH_ADMINS_JWKS_URL,
    audience: settings.AUTH_ADMINS_AUDIENCE,
  };
  return [clients, admins].flatMap((choice) => toRealm(choice, publicUrl, settings.IDENTITY_URL, cache));
}

/** The failures of authentication. */
export interface TokenFailures {
  readonly validation_failed: FailureMaker;
  readonly token_missing: FailureMaker;
  readonly token_invalid: FailureMaker;
  readonly token_expired: FailureMaker;
  readonly api_key_invalid: FailureMaker;
  readonly service_unavailable: FailureMaker;
}

/** Seconds after which a caller may try again when the keys could not be read. */
const KEYS_RETRY_AFTER = '5';

function refusal(problem: TokenProblem, message: string, errors: TokenFailures, cause: unknown): Failure {
  const headers = { 'WWW-Authenticate': `Bearer error="invalid_token", error_description="${message}"` };
  if (problem === 'expired') return errors.token_expired({ message, headers, cause });
  if (problem === 'invalid') return errors.token_invalid({ message, headers, cause });
  return errors.service_unavailable({ message, headers: { 'Retry-After': KEYS_RETRY_AFTER }, cause });
}

/** Finds the owner of an API key; undefined when the key is unknown, revoked or expired. */
export type VerifyKey = (key: string) => Promise<Caller | undefined>;

/**
 * The API key of a request, or undefined. A request with two credentials is refused (as RFC 6750, section 2, has it): it
 * would be unclear who asks.
 */
export function apiKeyOf(headers: IncomingHttpHeaders, errors: TokenFailures): string | undefined {
  const key = headers['x-api-key'];
  if (key === undefined) return undefined;
  if (headers.authorization !== undefined)
    throw errors.validation_failed({
      message: 'Send one credential: a bearer token in Authorization, or a key in X-API-Key.',
    });
  return String(key);
}

async function ownerOf(
  key: string,
  verifyKey: VerifyKey | undefined,
  errors: TokenFailures,
): Promise<Caller> {
  const owner = isApiKey(key) ? await verifyKey?.(key) : undefined;
  if (owner === undefined) throw errors.api_key_invalid({ headers: { 'WWW-Authenticate': 'Bearer' } });
  return owner;
}

/**
 * Finds the user of a request by its bearer token or, where keys are kept, by its API key; or throws a failure of the
 * service's table.
 */
export function authenticateUsers(
  verify: (token: string) => Promise<Caller>,
  errors: TokenFailures,
  verifyKey?: VerifyKey,
): Authenticate {
  return async (headers) => {
    const key = apiKeyOf(headers, errors);
    if (key !== undefined) return ownerOf(key, verifyKey, errors);
    const token = bearerToken(headers);
    if (token === undefined) throw errors.token_missing({ headers: { 'WWW-Authenticate': 'Bearer' } });
    try {
      return await verify(token);
    } catch (error) {
      if (error instanceof TokenError) throw refusal(error.problem, error.message, errors, error);
      throw error;
    }
  };
}
