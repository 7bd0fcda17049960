import { createHash, timingSafeEqual } from 'node:crypto';
import { type Authenticate, bearerToken, type Caller } from '../../foundation/auth.ts';
import { errors } from './contract.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

const callerOf = (subject: string): Caller => ({
  subject,
  email: null,
  realm: 'web',
  roles: [],
  planCap: null,
  application: null,
});

/** Checks bearer tokens against the configured ones; without any, everybody may call. */
export function createAuthenticate(tokens: readonly string[]): Authenticate {
  const known = tokens.map(digest);
  return async (headers) => {
    if (known.length === 0) return callerOf('anonymous');
    const given = digest(bearerToken(headers) ?? '');
    // Every token is compared, so that the time says nothing about which one is close.
    const matches = known.filter((token) => timingSafeEqual(token, given)).length;
    if (matches === 0) throw errors.authentication_required({ headers: { 'WWW-Authenticate': 'Bearer' } });
    return callerOf(`token:${given.toString('hex').slice(0, 12)}`);
  };
}
