import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticate } from '../../foundation/auth.ts';
import { createMemoryRateLimiter, type Grant, limitHeaders } from '../../foundation/limits.ts';
import { addressBucket } from './client-address.ts';
import { gateway } from './contract.ts';
import type { GatewaySettings } from './settings.ts';

/** Lets a request pass, or throws; returns headers that tell the caller its limit. */
export interface RequestGuard {
  /** Anybody, counted by address. */
  anybody(address: string): Promise<Record<string, string>>;
  /** A form or token request to the identity provider, counted by address and more strictly. */
  login(address: string): Promise<Record<string, string>>;
  /** A known caller, counted by its name in its realm. */
  known(headers: IncomingHttpHeaders, address: string): Promise<Record<string, string>>;
}

function checkGrant(grant: Grant): Record<string, string> {
  const headers = limitHeaders(grant);
  if (!grant.allowed) throw gateway.errors.rate_limited({ headers });
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
  const anybody = async (address: string) => checkGrant(await requests.take(addressBucket(address)));
  return {
    anybody,
    login: async (address) => checkGrant(await logins.take(addressBucket(address))),
    async known(headers, address) {
      const { realm, subject } = await authenticate(headers).catch(async (error: unknown) => {
        await anybody(address);
        throw error;
      });
      return checkGrant(await requests.take(`user:${realm}/${subject}`));
    },
  };
}
