import type { Authenticate } from '../../foundation/auth.ts';
import { createTokenCheck } from '../../foundation/bearer-tokens.ts';
import { errors } from './errors.ts';

/** Checks bearer tokens against the configured ones; without any, everybody may call. */
export function createAuthenticate(tokens: readonly string[]): Authenticate {
  const callerOf = createTokenCheck(tokens);
  return async ({ authorization }) => {
    const subject = callerOf(authorization);
    if (subject === undefined) {
      throw errors.authentication_required({ headers: { 'WWW-Authenticate': 'Bearer' } });
    }
    return { subject, email: null, realm: 'web', roles: [], planCap: null, application: null };
  };
}
