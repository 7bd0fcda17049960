import { type Kysely, sql, type Transaction } from 'kysely';
import type { RetentionRule } from '../../foundation/database/retention.ts';
import { storableText } from '../../foundation/database/storable.ts';
import type { RealmName } from './keys.ts';
import type { IdentityTables, UserAction, UserTable } from './tables.ts';

/** A person who may sign in. `subject` is what tokens carry. */
export interface User {
  readonly realm: RealmName;
  readonly subject: string;
  readonly email: string | null;
  readonly roles: readonly string[];
  readonly plan: number | null;
  readonly passwordHash: string;
}

/** A user as an administrator sees one. */
export interface ListedUser extends Omit<User, 'passwordHash'> {
  readonly disabled: boolean;
  readonly createdAt: Date;
}

/** What an administrator changes of a user. */
export interface UserChange {
  readonly realm: RealmName;
  readonly subject: string;
  /** Who changes it. */
  readonly actor: string;
}

/** The users of both realms. */
export interface UserStore {
  /** The user of a name in a realm; undefined when there is none or it was disabled. */
  find(realm: RealmName, subject: string): Promise<User | undefined>;
  hasAny(): Promise<boolean>;
  /** Users by realm and name, those that were disabled too; `total` counts all of the realm, or of both. */
  list(
    realm: RealmName | undefined,
    part: { page: number; limit: number },
  ): Promise<{ users: ListedUser[]; total: number }>;
  /** Adds users, all or none at once; those whose name is taken stay as they are. Returns the added ones. */
  add(users: readonly User[], actor: string): Promise<ListedUser[]>;
  /** Sets a password and ends what was signed in with the old one; undefined when there is no such user. */
  setPassword(change: UserChange, passwordHash: string): Promise<ListedUser | undefined>;
  /** Disables a user, whose sessions and refresh tokens end, or lets one in again; undefined when there is none. */
  setDisabled(change: UserChange, disabled: boolean): Promise<ListedUser | undefined>;
}

function toUser(row: UserTable): User {
  const { realm, subject, email, roles, plan, password_hash } = row;
  return { realm, subject, email, roles, plan, passwordHash: password_hash };
}

const LISTED = ['realm', 'subject', 'email', 'roles', 'plan', 'disabled', 'created_at as createdAt'] as const;

/** Ends sign-ins in progress, sign-in sessions, codes, grants and refresh tokens of a user. */
async function endSessions(queries: Transaction<IdentityTables>, { realm, subject }: UserChange) {
  await queries
    .deleteFrom('identity_record')
    .where('realm', '=', realm)
    .where(
      sql<boolean>`${subject} in
        (payload ->> 'accountId', payload #>> '{session,accountId}', payload #>> '{result,login,accountId}')`,
    )
    .execute();
}

/** The record of changes of users is kept for so many days. */
export const auditRows = (days: number): RetentionRule[] => [{ table: 'identity_audit', at: 'at', days }];

async function note(
  queries: Transaction<IdentityTables>,
  action: UserAction,
  actor: string,
  users: readonly Pick<User, 'realm' | 'subject'>[],
): Promise<void> {
  if (users.length === 0) return;
  const rows = users.map(({ realm, subject }) => ({ actor: storableText(actor), action, realm, subject }));
  await queries.insertInto('identity_audit').values(rows).execute();
}

/** Changes one user in a transaction with its line in the audit. */
function change(
  queries: Kysely<IdentityTables>,
  action: UserAction,
  update: UserChange,
  values: Partial<Pick<UserTable, 'password_hash' | 'disabled'>>,
): Promise<ListedUser | undefined> {
  const storable = { ...update, subject: storableText(update.subject) };
  return queries.transaction().execute(async (transaction) => {
    const user = await transaction
      .updateTable('identity_user')
      .set(values)
      .where('realm', '=', storable.realm)
      .where('subject', '=', storable.subject)
      .returning(LISTED)
      .executeTakeFirst();
    if (user === undefined) return undefined;
    if (action !== 'enable') await endSessions(transaction, storable);
    await note(transaction, action, storable.actor, [user]);
    return user;
  });
}

/** Opens the users. */
export function userStore(queries: Kysely<IdentityTables>): UserStore {
  return {
    async find(realm, subject) {
      const row = await queries
        .selectFrom('identity_user')
        .selectAll()
        .where('realm', '=', realm)
        .where('subject', '=', storableText(subject))
        .where('disabled', '=', false)
        .executeTakeFirst();
      return row === undefined ? undefined : toUser(row as unknown as UserTable);
    },
    async hasAny() {
      const row = await queries.selectFrom('identity_user').select('subject').limit(1).executeTakeFirst();
      return row !== undefined;
    },
    async list(realm, { page, limit }) {
      const all = queries
        .selectFrom('identity_user')
        .$if(realm !== undefined, (query) => query.where('realm', '=', realm as RealmName));
      const { total } = await all
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const users = await all
        .select(LISTED)
        .orderBy('realm', 'desc')
        .orderBy('subject')
        .limit(limit)
        .offset((page - 1) * limit)
        .execute();
      return { users, total };
    },
    async add(users, actor) {
      const rows = users.map(({ passwordHash, roles, ...user }) => ({
        ...user,
        roles: [...roles],
        password_hash: passwordHash,
        disabled: false,
      }));
      return queries.transaction().execute(async (transaction) => {
        const added = await transaction
          .insertInto('identity_user')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .returning(LISTED)
          .execute();
        await note(transaction, 'add', actor, added);
        return added;
      });
    },
    setPassword: (update, passwordHash) =>
      change(queries, 'password', update, { password_hash: passwordHash }),
    setDisabled: (update, disabled) => change(queries, disabled ? 'disable' : 'enable', update, { disabled }),
  };
}
