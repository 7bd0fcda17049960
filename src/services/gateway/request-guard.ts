import type { IncomingHttpHeaders } from 'node:http';
import { isApiKey } from '../../foundation/api-keys.ts';
import type { Authenticate } from '../../foundation/auth.ts';
import { limitHeaders, type RateDecision, type RateLimiter } from '../../foundation/limits.ts';
import { apiKeyOf } from '../../foundation/realms.ts';
import { openRateLimiter } from '../../foundation/redis/rate-limiter.ts';
import type { RedisConnection } from '../../foundation/redis/redis.ts';
import { addressBucket } from './client-address.ts';
import { errors } from './errors.ts';
import { createKeyOwners } from './key-owners.ts';
import type { GatewaySettings } from './settings.ts';

/** A caller whose request was admitted. */
export interface AdmittedCaller {
  /** The key of its rate limit: realm and subject, or its address. */
  readonly name: string;
  /** Headers that tell the caller its limit. */
  readonly headers: Record<string, string>;
}

/** Lets a request pass, or throws. */
export interface RequestGuard {
  /** A caller without a token, counted by address. */
  anybody(address: string): Promise<AdmittedCaller>;
  /** A form or token request to the identity provider, counted by address and more strictly. */
  login(address: string): Promise<AdmittedCaller>;
  /** A known caller, counted by its name in its realm; with a realm, only a caller of that one. */
  known(headers: IncomingHttpHeaders, address: string, realm?: string | undefined): Promise<AdmittedCaller>;
  /** Records from the answer whether the caller's API key, if it sent one, was accepted. */
  answered(request: IncomingHttpHeaders, status: number, answer: IncomingHttpHeaders): void;
  /** Registers an open event stream of a caller; the result unregisters it. */
  openStream(caller: string): () => void;
}

/** Seconds after which a caller with too many open streams may look again. */
const STREAM_RETRY_AFTER = '5';

function checkRate(decision: RateDecision): Record<string, string> {
  const headers = limitHeaders(decision);
  if (!decision.allowed) throw errors.rate_limited({ headers });
  return headers;
}

/**
 * Counts requests and checks tokens. A refused token counts against its address, so that guessing is slow. So does an API key,
 * which the service behind checks, until that has accepted it; from then on it counts against its owner, with the owner's tokens.
 */
export function createRequestGuard(
  settings: GatewaySettings,
  authenticate: Authenticate,
  redis?: RedisConnection,
): RequestGuard {
  const requests = openRateLimiter(redis, {
    name: 'requests',
    get perSecond() {
      return settings.GATEWAY_RATE_LIMIT_RPS;
    },
    get burst() {
      return settings.GATEWAY_RATE_LIMIT_BURST;
    },
  });
  const logins = openRateLimiter(redis, {
    name: 'logins',
    get perSecond() {
      return settings.GATEWAY_LOGIN_RATE_LIMIT_RPS;
    },
    get burst() {
      return settings.GATEWAY_LOGIN_RATE_LIMIT_BURST;
    },
  });
  const streams = new Map<string, number>();
  const take = async (limiter: RateLimiter, name: string): Promise<AdmittedCaller> => {
    return { name, headers: checkRate(await limiter.take(name)) };
  };
  const anybody = (address: string) => take(requests, addressBucket(address));
  const owners = createKeyOwners();
  const knownByKey = async (key: string, address: string, requiredRealm: string | undefined) => {
    const owner = isApiKey(key) ? owners.of(key) : undefined;
    const caller = await (owner === undefined ? anybody(address) : take(requests, `user:${owner}`));
    if (!isApiKey(key)) throw errors.api_key_invalid({ headers: caller.headers });
    // A key gives access to the analysis only, never to operations for staff, even when its owner is staff.
    if (requiredRealm !== undefined) throw errors.forbidden_role({ headers: caller.headers });
    return caller;
  };
  return {
    anybody,
    login: (address) => take(logins, addressBucket(address)),
    async known(headers, address, wanted) {
      const key = headers.authorization === undefined ? apiKeyOf(headers, errors) : undefined;
      if (key !== undefined) return knownByKey(key, address, wanted);
      const { realm, subject } = await authenticate(headers).catch(async (error: unknown) => {
        await anybody(address);
        throw error;
      });
      const caller = await take(requests, `user:${realm}/${subject}`);
      if (wanted !== undefined && realm !== wanted) throw errors.forbidden_role({ headers: caller.headers });
      return caller;
    },
    answered(request, status, answer) {
      const key = request['x-api-key'];
      if (typeof key === 'string') owners.learn(key, status, answer);
    },
    openStream(caller) {
      const open = streams.get(caller) ?? 0;
      if (open >= settings.GATEWAY_STREAMS_PER_CALLER)
        throw errors.rate_limited({
          message: 'Too many streams of events are open; close one first.',
          headers: { 'Retry-After': STREAM_RETRY_AFTER },
        });
      streams.set(caller, open + 1);
      return () => {
        const left = (streams.get(caller) ?? 1) - 1;
        if (left > 0) streams.set(caller, left);
        else streams.delete(caller);
      };
    },
  };
}
