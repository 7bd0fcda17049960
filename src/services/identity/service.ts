import { errorResponse } from '../../foundation/errors.ts';
import { defineService } from '../../foundation/service.ts';
import { identity } from './contract.ts';
import { createFirstUsers } from './first-users.ts';
import { loadKeys, realmNames } from './keys.ts';
import { createPasswordThreads } from './password-threads.ts';
import { createRealm } from './provider.ts';
import { attachRealms, createSender } from './routes.ts';
import { identitySettings } from './settings.ts';
import { createSignIn } from './sign-in.ts';
import { openIdentityStore } from './store.ts';

/** Milliseconds between two rounds of removing what has expired. */
const CLEANING_INTERVAL_MS = 600_000;

/** The embedded OIDC provider. The need `firstPasswords` holds, by user name, what this start has made. */
export const identityService = defineService({
  contract: identity,
  settings: identitySettings,
  errorBody: (failure, call) => errorResponse(failure, call.correlationId),
  needs: async (settings, platform) => {
    const { home, publicUrl, log } = platform;
    const store = await openIdentityStore(await platform.database());
    const passwords = createPasswordThreads();
    const firstPasswords = await createFirstUsers(store, home, passwords.hash);
    const realms = await Promise.all(
      realmNames.map(async (realm) => {
        const keys = await loadKeys(home, realm);
        return createRealm({ realm, publicUrl, keys, store, settings, log });
      }),
    );
    const signIn = createSignIn(store, settings, passwords, platform.redis);
    return { store, passwords, firstPasswords, realms, signIn, log };
  },
  routes: () => ({}),
  health: ({ store }) => ({ parts: { database: store }, critical: ['database'] }),
  attach: (app, { realms, signIn }, settings) =>
    attachRealms(app, realms, signIn, createSender(settings.GATEWAY_INTERNAL_TOKEN)),
  background: async ({ store, log }) => {
    const clean = () =>
      store.removeExpired().catch((error: unknown) => log.warn({ err: error }, 'cleaning failed'));
    const timer = setInterval(clean, CLEANING_INTERVAL_MS).unref();
    return async () => clearInterval(timer);
  },
});
