import { QueueFullError } from '../../foundation/fair-queue.ts';
import { openRateLimiter } from '../../foundation/redis/rate-limiter.ts';
import type { RedisConnection } from '../../foundation/redis/redis.ts';
import type { RealmName } from './keys.ts';
import type { LoginProblem } from './pages.ts';
import type { PasswordThreads } from './password-threads.ts';
import { dummyHash, LONGEST_PASSWORD } from './passwords.ts';
import type { IdentitySettings } from './settings.ts';
import type { User, UserStore } from './user-store.ts';

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

/** Longest user name. */
const LONGEST_NAME = 200;
/**
 * One user name may be tried this many times as often from all addresses together: enough that a stranger who fails on
 * purpose does not lock the owner out at once, and too few for guessing.
 */
const ADDRESSES_PER_NAME = 10;

/** The result of an attempt while too many checks wait. */
const PROBLEM_OF_SHARE = { own: 'wait', all: 'busy' } as const;

/** Checks passwords, slowed down by user name and address; an unknown name costs as much time as a wrong password. */
export function createSignIn(
  users: Pick<UserStore, 'find'>,
  settings: IdentitySettings,
  threads: Pick<PasswordThreads, 'refusal' | 'matches'>,
  redis?: RedisConnection,
): SignIn {
  const attempts = (name: string, addresses: number) =>
    openRateLimiter(redis, {
      name,
      get perSecond() {
        return addresses / settings.IDENTITY_LOGIN_PAUSE_SECONDS;
      },
      get burst() {
        return addresses * settings.IDENTITY_LOGIN_ATTEMPTS;
      },
    });
  const byAddress = attempts('sign-in', 1);
  const byName = attempts('sign-in-name', ADDRESSES_PER_NAME);
  return async ({ realm, name, password, from }) => {
    if (name === '' || password === '') return { problem: 'incomplete' };
    if (name.length > LONGEST_NAME || password.length > LONGEST_PASSWORD) return { problem: 'wrong' };
    // Before anything is counted: an attempt that there is no room for is none.
    const refused = threads.refusal(from);
    if (refused !== undefined) return { problem: PROBLEM_OF_SHARE[refused] };
    const key = `${realm}/${name.toLowerCase()}`;
    const keyFrom = `${key} ${from}`;
    if (!(await byAddress.take(keyFrom)).allowed || !(await byName.take(key)).allowed)
      return { problem: 'wait' };
    const user = await users.find(realm, name);
    try {
      const stored = user?.passwordHash ?? dummyHash;
      const matches = await threads.matches({ password, stored }, from);
      if (!matches || user === undefined) return { problem: 'wrong' };
      // Meanwhile the user may have been disabled, or the password set anew.
      if ((await users.find(realm, name))?.passwordHash !== user.passwordHash) return { problem: 'wrong' };
    } catch (error) {
      if (error instanceof QueueFullError) return { problem: PROBLEM_OF_SHARE[error.share] };
      throw error;
    }
    await byAddress.refill(keyFrom);
    return { user };
  };
}
