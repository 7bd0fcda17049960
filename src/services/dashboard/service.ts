import { type Authenticate, createTokenVerifier, STAFF_REALM } from '../../foundation/auth.ts';
import { openCache } from '../../foundation/cache.ts';
import type { Configuration } from '../../foundation/configuration/configuration.ts';
import { errorResponse } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import { authenticateUsers, realmsFrom } from '../../foundation/realms.ts';
import { defineService } from '../../foundation/service.ts';
import { dashboard } from './contract.ts';
import { errors } from './errors.ts';
import { dashboardRoutes } from './routes.ts';
import { type DashboardSettings, dashboardSettings } from './settings.ts';
import { allLiveSettings, allTunables, CURRENCY_KEY } from './tunables.ts';

async function openNeeds(settings: DashboardSettings, platform: Platform, configuration: Configuration) {
  const keySets = openCache(platform.redis, 'keys');
  return {
    database: await platform.database(),
    configuration,
    verifyToken: createTokenVerifier(realmsFrom(settings, platform.publicUrl, keySets), keySets),
  };
}

/** Tokens of the realm of staff, and no other: whatever roles another realm gives. */
function staffOnly(authenticate: Authenticate): Authenticate {
  return async (headers) => {
    const caller = await authenticate(headers);
    if (caller.realm !== STAFF_REALM) throw errors.forbidden_role();
    return caller;
  };
}

/** The administration dashboard. */
export const dashboardService = defineService({
  contract: dashboard,
  settings: dashboardSettings,
  live: allLiveSettings,
  tunables: allTunables,
  keepsData: true,
  needs: openNeeds,
  errorBody: (failure, call) => errorResponse(failure, call.correlationId),
  authenticate: ({ verifyToken }) => staffOnly(authenticateUsers(verifyToken, errors)),
  routes: ({ database, configuration }, settings) => {
    const tunables = [...allTunables, ...allLiveSettings.map((setting) => setting.of(settings))];
    return dashboardRoutes({ database, configuration, tunables, currencyKey: CURRENCY_KEY });
  },
  health: ({ database, configuration }) => ({ parts: { database, configuration }, critical: ['database'] }),
  publicPrefix: '/agent-v3/dashboard',
});
