import { createTokenVerifier } from '../../foundation/auth.ts';
import { errorResponse } from '../../foundation/errors.ts';
import { authenticateUsers, realmsFrom } from '../../foundation/realms.ts';
import { defineService } from '../../foundation/service.ts';

import { gateway } from './contract.ts';
import { createRequestGuard } from './request-guard.ts';
import { attachUpstreams, ownRoutes } from './routes.ts';
import { hardenServer } from './server.ts';
import { gatewaySettings } from './settings.ts';
import { createUpstream } from './upstream.ts';

/** The only public entrance of the platform. */
export const gatewayService = defineService({
  contract: gateway,
  settings: gatewaySettings,
  errorBody: (failure, call) => errorResponse(failure, call.correlationId),
  needs: async (settings, platform) => {
    const timeoutMs = settings.GATEWAY_UPSTREAM_TIMEOUT_MS;
    const verify = createTokenVerifier(realmsFrom(settings, platform.publicUrl));
    const { publicUrl, version, log } = platform;
    return {
      analysis: createUpstream({
        name: 'analysis',
        url: settings.ANALYSIS_URL,
        timeoutMs,
      }),
      identity: createUpstream({
        name: 'identity',
        url: settings.IDENTITY_URL,
        timeoutMs,
      }),
      guard: createRequestGuard(settings, authenticateUsers(verify, gateway.errors)),
      site: { publicUrl, version },
      log,
      openStreams: new Set<AbortController>(),
    };
  },
  routes: ({ site }) => ownRoutes(site),
  // Without analysis nothing works; without identity those who are signed in go on.
  health: ({ analysis, identity }) => ({
    parts: { analysis: analysis.part, identity: identity.part },
    critical: ['analysis'],
  }),
  attach: async (app, { analysis, identity, ...tools }, settings) => {
    hardenServer(app.server, settings);
    await attachUpstreams(app, { analysis, identity }, tools, settings);
  },
});
