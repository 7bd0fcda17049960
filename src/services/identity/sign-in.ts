import { createTokenBuckets } from '../../foundation/limits.ts';
import type { RealmName } from './keys.ts';
import type { LoginProblem } from './pages.ts';
import { checkPassword, LONGEST_PASSWORD, unmatchedHash } from './passwords.ts';
import type { IdentitySettings } from './settings.ts';
import type { IdentityStore, User } from './store.ts';

/** One attempt to sign in. */
interface Attempt {
  readonly realm: RealmName;
  readonly name: string;
  readonly password: string;
  /** The network address that it comes from. */
  readonly from: string;
}

/** How an attempt ended: the user, or why not. */
type SignInResult = { user: User } | { problem: LoginProblem };

/** Checks an attempt. */
export type SignIn = (attempt: Attempt) => Promise<SignInResult>;

/** Longer names belong to nobody. */
const LONGEST_NAME = 200;
/**
 * One user name may be tried this many times as often from all addresses together: enough that a stranger who fails on
 * purpose does not lock the owner out at once, and too few for guessing.
 */
const ADDRESSES_PER_NAME = 10;

/** Checks passwords, slowed down by user name and address; an unknown name costs as much time as a wrong password. */
export function createSignIn(
  store: Pick<IdentityStore, 'user'>,
  settings: IdentitySettings,
  check: typeof checkPassword = checkPassword,
): SignIn {
  const attempts = settings.IDENTITY_LOGIN_ATTEMPTS;
  const rate = 1 / settings.IDENTITY_LOGIN_PAUSE_SECONDS;
  const byAddress = createTokenBuckets(rate, attempts);
  const byName = createTokenBuckets(rate * ADDRESSES_PER_NAME, attempts * ADDRESSES_PER_NAME);
  return async ({ realm, name, password, from }) => {
    if (name === '' || password === '') return { problem: 'incomplete' };
    if (name.length > LONGEST_NAME || password.length > LONGEST_PASSWORD) return { problem: 'wrong' };
    const key = `${realm}/${name.toLowerCase()}`;
    const keyFrom = `${key} ${from}`;
    if (!byAddress(keyFrom).allowed || !byName(key).allowed) return { problem: 'wait' };
    const user = await store.user(realm, name);
    const matches = await check(password, user?.passwordHash ?? unmatchedHash);
    if (!matches || user === undefined) return { problem: 'wrong' };
    byAddress.refill(keyFrom);
    return { user };
  };
}
