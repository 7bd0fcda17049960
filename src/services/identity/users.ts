import type { Logger } from '../../foundation/log.ts';
import { identity } from './contract.ts';
import { createFirstPasswords } from './first-users.ts';
import type { RealmName } from './keys.ts';
import type { UserAction } from './tables.ts';
import type { ListedUser, User, UserChange, UserStore } from './user-store.ts';

/** Names a user of a realm. */
interface UserName {
  readonly realm: RealmName;
  readonly name: string;
}

/** A user to add. */
export interface NewUser extends UserName, Pick<User, 'email' | 'roles' | 'plan'> {
  readonly password: string;
}

/** What administrators do with users of the embedded provider. Unknown and taken names are failures of the contract. */
export interface UserAdministration {
  list: UserStore['list'];
  add(user: NewUser, actor: string): Promise<ListedUser>;
  /** Sets a new password and ends all sessions of the user. */
  setPassword(user: UserName & { password: string }, actor: string): Promise<ListedUser>;
  /** A disabled user cannot sign in; sessions and refresh tokens end. */
  setDisabled(user: UserName, disabled: boolean, actor: string): Promise<ListedUser>;
}

/** What the administration of users works with. */
export interface UserAdministrationDependencies {
  readonly users: UserStore;
  readonly home: string;
  readonly hash: (password: string) => Promise<string>;
  readonly log: Logger;
}

/** Opens the administration of users. */
export function createUserAdministration({
  users,
  home,
  hash,
  log,
}: UserAdministrationDependencies): UserAdministration {
  const firstPasswords = createFirstPasswords(home);

  /** Logs the action, and deletes the stored first password when it is no longer valid. */
  async function finish(action: UserAction, actor: string, user: ListedUser | undefined) {
    if (user === undefined) throw identity.errors.user_not_found();
    const { realm, subject } = user;
    log.info({ action, actor, realm, user: subject }, 'a user was changed');
    if (action === 'password' || action === 'disable')
      await firstPasswords.forget(realm, subject).catch((error: unknown) => {
        log.warn({ err: error }, 'the file of first passwords could not be changed');
      });
    return user;
  }

  const changeOf = ({ realm, name }: UserName, actor: string): UserChange => ({
    realm,
    subject: name,
    actor,
  });
  return {
    list: users.list,
    async add({ name, password, ...user }, actor) {
      const [added] = await users.add(
        [{ ...user, subject: name, passwordHash: await hash(password) }],
        actor,
      );
      if (added === undefined) throw identity.errors.user_exists();
      return finish('add', actor, added);
    },
    async setPassword({ password, ...user }, actor) {
      const changed = await users.setPassword(changeOf(user, actor), await hash(password));
      return finish('password', actor, changed);
    },
    async setDisabled(user, disabled, actor) {
      const changed = await users.setDisabled(changeOf(user, actor), disabled);
      return finish(disabled ? 'disable' : 'enable', actor, changed);
    },
  };
}
