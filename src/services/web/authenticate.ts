import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Authenticate, STAFF_REALM } from '../../foundation/auth.ts';
import { createTokenCheck } from '../../foundation/bearer-tokens.ts';
import { errors } from './errors.ts';

/** An operator who may change the evidence index, by name. */
export interface Operator {
  readonly name: string;
  readonly token: string;
}

/** The operator at the machine itself; may remove what others imported. */
export const LOCAL_OPERATOR = 'local';
/** The role of operators. */
const OPERATOR_ROLE = 'operator';
const OWNER_ONLY = { folder: 0o700, file: 0o600 };
const TOKEN_BYTES = 32;

/** Where the token of the local operator is kept, in the data folder. */
export const operatorTokenFile = (home: string): string => join(home, 'web', 'operator-token');

/** The token by which the command line on this machine is known; made at the first start, readable by its owner alone. */
export function localOperator(home: string): Operator {
  const file = operatorTokenFile(home);
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true, mode: OWNER_ONLY.folder });
    try {
      writeFileSync(file, randomBytes(TOKEN_BYTES).toString('base64url'), {
        flag: 'wx',
        mode: OWNER_ONLY.file,
      });
    } catch (error) {
      // Another process made it at the same moment: its token counts.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  chmodSync(file, OWNER_ONLY.file);
  return { name: LOCAL_OPERATOR, token: readFileSync(file, 'utf8').trim() };
}

/** Checks bearer tokens against the configured ones; without any, everybody may call. Operators are known by theirs. */
export function createAuthenticate(
  tokens: readonly string[],
  operators: readonly Operator[] = [],
): Authenticate {
  const callerOf = createTokenCheck(tokens);
  const known = operators.map(({ name, token }) => ({ name, check: createTokenCheck([token]) }));
  return async ({ authorization }) => {
    const operator = known.find(({ check }) => check(authorization) !== undefined)?.name;
    const subject = operator ?? callerOf(authorization);
    if (subject === undefined) {
      throw errors.authentication_required({ headers: { 'WWW-Authenticate': 'Bearer' } });
    }
    const standing =
      operator === undefined ? { realm: 'web', roles: [] } : { realm: STAFF_REALM, roles: [OPERATOR_ROLE] };
    return { subject, email: null, ...standing, planCap: null, application: null };
  };
}
