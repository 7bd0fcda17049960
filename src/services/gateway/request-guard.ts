import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticate } from '../../foundation/auth.ts';
import {
  createMemoryRateLimiter,
  type Grant,
  limitHeaders,
  type RateLimiter,
} from '../../foundation/limits.ts';
import { addressBucket } from './client-address.ts';
import { errors } from './errors.ts';
import type { GatewaySettings } from './settings.ts';

/** A caller whose request may pass. */
export interface AdmittedCaller {
  /** What it is counted by: realm and subject, or its address. */
  readonly name: string;
  /** Headers that tell the caller its limit. */
  readonly headers: Record<string, string>;
}

/** Lets a request pass, or throws. */
export interface RequestGuard {
  /** Anybody, counted by address. */
  anybody(address: string): Promise<AdmittedCaller>;
  /** A form or token request to the identity provider, counted by address and more strictly. */
  login(address: string): Promise<AdmittedCaller>;
  /** A known caller, counted by its name in its realm; with a realm, only a caller of that one. */
  known(headers: IncomingHttpHeaders, address: string, realm?: string | undefined): Promise<AdmittedCaller>;
  /** One more open stream of events of a caller; the result counts it out. */
  openStream(caller: string): () => void;
}

/** Seconds after which a caller with too many open streams may look again. */
const STREAM_RETRY_AFTER = '5';

function checkGrant(grant: Grant): Record<string, string> {
  const headers = limitHeaders(grant);
  if (!grant.allowed) throw errors.rate_limited({ headers });
  return headers;
}

/** Counts requests and checks tokens. A refused token counts against its address, so that guessing is slow. */
export function createRequestGuard(settings: GatewaySettings, authenticate: Authenticate): RequestGuard {
  const requests = createMemoryRateLimiter(
    settings.GATEWAY_RATE_LIMIT_RPS,
    settings.GATEWAY_RATE_LIMIT_BURST,
  );
  const logins = createMemoryRateLimiter(
    settings.GATEWAY_LOGIN_RATE_LIMIT_RPS,
    settings.GATEWAY_LOGIN_RATE_LIMIT_BURST,
  );
  const streams = new Map<string, number>();
  const take = async (limiter: RateLimiter, name: string): Promise<AdmittedCaller> => {
    return { name, headers: checkGrant(await limiter.take(name)) };
  };
  const anybody = (address: string) => take(requests, addressBucket(address));
  return {
    anybody,
    login: (address) => take(logins, addressBucket(address)),
    async known(headers, address, wanted) {
      const { realm, subject } = await authenticate(headers).catch(async (error: unknown) => {
        await anybody(address);
        throw error;
      });
      const caller = await take(requests, `user:${realm}/${subject}`);
      if (wanted !== undefined && realm !== wanted) throw errors.forbidden_role({ headers: caller.headers });
      return caller;
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
