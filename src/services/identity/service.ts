import { createTokenVerifier, type Realm, STAFF_REALM } from '../../foundation/auth.ts';
import { removeOldRowsHourly } from '../../foundation/database/retention.ts';
import { errorResponse } from '../../foundation/errors.ts';
import { authenticateUsers, EMBEDDED_AUDIENCE, embeddedIssuer } from '../../foundation/realms.ts';
import { defineService } from '../../foundation/service.ts';
import { identity } from './contract.ts';
import { createFirstUsers } from './first-users.ts';
import { loadKeys, publicKeys, realmNames } from './keys.ts';
import { createPasswordThreads } from './password-threads.ts';
import { createRealm } from './provider.ts';
import { attachRealms, createSender } from './routes.ts';
import { identitySettings } from './settings.ts';
import { createSignIn } from './sign-in.ts';
import { openIdentityStore } from './store.ts';
import { identityLiveSettings } from './tunables.ts';
import { userRoutes } from './user-routes.ts';
import { auditRows } from './user-store.ts';
import { createUserAdministration } from './users.ts';

/** Milliseconds between two rounds of removing what has expired. */
const CLEANING_INTERVAL_MS = 600_000;

/** The provider's own realm of staff, whatever realm the other services accept: its administrators are those of its users. */
async function staffRealm(home: string, publicUrl: string): Promise<Realm> {
  const keys = publicKeys(await loadKeys(home, STAFF_REALM));
  const issuer = embeddedIssuer(publicUrl, STAFF_REALM);
  return { name: STAFF_REALM, issuer, audience: EMBEDDED_AUDIENCE, keys: { keys } };
}

/** The embedded OIDC provider. The need `firstPasswords` holds, by user name, what this start has made. */
export const identityService = defineService({
  contract: identity,
  settings: identitySettings,
  live: identityLiveSettings,
  keepsData: true,
  errorBody: (failure, call) => errorResponse(failure, call.correlationId),
  needs: async (settings, platform) => {
    const { home, publicUrl, log } = platform;
    const database = await platform.database();
    const store = await openIdentityStore(database);
    const passwords = createPasswordThreads();
    const firstPasswords = await createFirstUsers(store.users, home, passwords.hash);
    const realms = await Promise.all(
      realmNames.map(async (realm) => {
        const keys = await loadKeys(home, realm);
        return createRealm({ realm, publicUrl, keys, store, settings, log });
      }),
    );
    const signIn = createSignIn(store.users, settings, passwords, platform.redis);
    const users = createUserAdministration({ users: store.users, home, hash: passwords.hash, log });
    const staff = await staffRealm(home, publicUrl);
    return {
      queries: database.kysely(),
      store,
      passwords,
      firstPasswords,
      realms,
      signIn,
      users,
      verify: createTokenVerifier([staff]),
      log,
    };
  },
  routes: ({ users }) => userRoutes(users),
  authenticate: ({ verify }) => authenticateUsers(verify, identity.errors),
  health: ({ store }) => ({ parts: { database: store }, critical: ['database'] }),
  attach: (app, { realms, signIn }, settings) =>
    attachRealms(app, realms, signIn, createSender(settings.GATEWAY_INTERNAL_TOKEN)),
  background: async ({ queries, store, log }, settings) => {
    const clean = () =>
      store.removeExpired().catch((error: unknown) => log.warn({ err: error }, 'cleaning failed'));
    const timer = setInterval(clean, CLEANING_INTERVAL_MS).unref();
    const stopRemoving = removeOldRowsHourly(queries, () => auditRows(settings.LIMPEDE_AUDIT_DAYS), log);
    return async () => {
      clearInterval(timer);
      await stopRemoving();
    };
  },
});
