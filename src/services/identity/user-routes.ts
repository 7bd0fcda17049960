import type { Call, Handlers } from '../../foundation/service.ts';
import { identity, type userOperations } from './contract.ts';
import type { ListedUser } from './user-store.ts';
import type { UserAdministration } from './users.ts';

/** A user as the wire has one. */
function userFields({ subject, createdAt, roles, ...user }: ListedUser) {
  return { ...user, name: subject, roles: [...roles], created_at: createdAt.toISOString() };
}

function actorOf({ caller }: Call): string {
  if (caller === undefined) throw identity.errors.token_missing();
  return caller.subject;
}

const answer = (user: ListedUser) => ({ success: true, data: userFields(user) }) as const;

/** The handlers of the operations on users. */
export function userRoutes(users: UserAdministration): Handlers<typeof userOperations> {
  return {
    users: async ({ query: { realm, page, limit } }) => {
      const userPage = await users.list(realm, { page, limit });
      const pages = Math.ceil(userPage.total / limit);
      const pagination = { page, limit, total: userPage.total, pages };
      return { success: true, data: { items: userPage.users.map(userFields), pagination } };
    },
    addUser: async ({ body: { email = null, plan = null, ...user } }, call) =>
      answer(await users.add({ ...user, email, plan }, actorOf(call))),
    setPassword: async ({ params, body }, call) =>
      answer(await users.setPassword({ ...params, ...body }, actorOf(call))),
    disableUser: async ({ params }, call) => answer(await users.setDisabled(params, true, actorOf(call))),
    enableUser: async ({ params }, call) => answer(await users.setDisabled(params, false, actorOf(call))),
  };
}
