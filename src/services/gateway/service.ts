import { createTokenVerifier } from '../../foundation/auth.ts';
import { openCache } from '../../foundation/cache.ts';
import { errorResponse } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import { authenticateUsers, realmsFrom } from '../../foundation/realms.ts';
import { defineService } from '../../foundation/service.ts';
import type { AbortableAnswer } from './answer.ts';
import { gateway } from './contract.ts';
import { errors } from './errors.ts';
import { MOUNTS, type Mount, urlSetting } from './mounts.ts';
import { createRequestGuard } from './request-guard.ts';
import { indexRoutes } from './routes/index-page.ts';
import { mountServices } from './routes/mount.ts';
import { hardenServer } from './server.ts';
import { type GatewaySettings, gatewaySettings } from './settings.ts';
import { gatewayLiveSettings } from './tunables.ts';
import { createUpstream, type Upstream } from './upstream.ts';

/** A service of the table and the way to it. */
interface Mounted {
  readonly mount: Mount;
  readonly upstream: Upstream;
}

/** The address of a service; undefined when it is switched off. */
function addressOf(mount: Mount, settings: Readonly<Record<string, unknown>>): string | undefined {
  const address = settings[urlSetting(mount)];
  return typeof address === 'string' && address !== 'none' ? address : undefined;
}

function createNeeds(mounts: readonly Mount[], settings: GatewaySettings, platform: Platform) {
  const timeoutMs = settings.GATEWAY_UPSTREAM_TIMEOUT_MS;
  const keySets = openCache(platform.redis, 'keys');
  const verify = createTokenVerifier(realmsFrom(settings, platform.publicUrl, keySets), keySets);
  const mounted = mounts.map((mount): Mounted => {
    const { name } = mount.contract;
    return { mount, upstream: createUpstream({ name, url: addressOf(mount, settings), timeoutMs }) };
  });
  const { publicUrl, version, log } = platform;
  return {
    services: {
      mounted,
      close: async () => void (await Promise.all(mounted.map(({ upstream }) => upstream.close()))),
    },
    guard: createRequestGuard(settings, authenticateUsers(verify, errors), platform.redis),
    publicUrl,
    version,
    log,
    openStreams: new Set<AbortableAnswer>(),
  };
}

/** Health by the services behind: each is a part, under its name. */
function healthOf(mounted: readonly Mounted[]) {
  return {
    parts: Object.fromEntries(mounted.map(({ mount, upstream }) => [mount.contract.name, upstream.part])),
    critical: mounted.flatMap(({ mount }) => (mount.critical === true ? [mount.contract.name] : [])),
  };
}

/** A gateway to given services. */
export function createGatewayService(mounts: readonly Mount[]) {
  return defineService({
    contract: gateway,
    settings: gatewaySettings(mounts),
    live: gatewayLiveSettings,
    errorBody: (failure, call) => errorResponse(failure, call.correlationId),
    origins: ({ GATEWAY_CORS_ORIGINS }) => GATEWAY_CORS_ORIGINS,
    needs: async (settings, platform) => createNeeds(mounts, settings, platform),
    routes: indexRoutes,
    health: ({ services }) => healthOf(services.mounted),
    attach: async (app, { services, ...dependencies }, settings) => {
      hardenServer(app.server, settings);
      await mountServices(app, services.mounted, dependencies, settings);
    },
  });
}

/** The only public entrance of the platform. */
export const gatewayService = createGatewayService(MOUNTS);
