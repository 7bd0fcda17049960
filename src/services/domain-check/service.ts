import { validationRows } from '../../foundation/errors.ts';
import { parseAllowList } from '../../foundation/http/allow-list.ts';
import { defineService } from '../../foundation/service.ts';
import { domainCheck } from './contract.ts';
import { openRegistry } from './lists/registry.ts';
import { createLive, type Live } from './live/live.ts';
import { createNameLookup } from './live/names.ts';
import { createRegistryClient } from './live/registration.ts';
import { loadNameModel } from './name/model.ts';
import { openWellKnown } from './name/well-known.ts';
import { type DomainNeeds, domainRoutes } from './routes.ts';
import { type DomainSettings, settings } from './settings.ts';

/** What the lookup leaves of its time, so that it ends with a reason instead of being cut off. */
const NAMES_MARGIN_MS = 50;

function liveChecks(given: DomainSettings): Live {
  const retryMs = given.DOMAIN_RETRY_SECONDS * 1000;
  return createLive({
    names: createNameLookup(given.DOMAIN_RESOLVERS, given.DOMAIN_DNS_TIMEOUT_MS - NAMES_MARGIN_MS),
    registries: createRegistryClient(given.DOMAIN_RDAP_TIMEOUT_MS, retryMs),
    registryServer: given.DOMAIN_RDAP_URL,
    handshake: { allow: parseAllowList(given.WEB_ALLOWED_PRIVATE_HOSTS) },
    limits: {
      total: given.DOMAIN_TIMEOUT_MS,
      names: given.DOMAIN_DNS_TIMEOUT_MS,
      certificate: given.DOMAIN_TLS_TIMEOUT_MS,
    },
    concurrency: given.DOMAIN_LIVE_CONCURRENCY,
    memory: {
      entries: given.DOMAIN_CACHE_ENTRIES,
      answered: given.DOMAIN_CACHE_SECONDS * 1000,
      incomplete: retryMs,
      unreachable: retryMs,
    },
  });
}

/** The domain credibility check as a service. */
export const domainCheckService = defineService({
  contract: domainCheck,
  settings,
  needs: async (given): Promise<DomainNeeds> => ({
    offline: {
      registry: openRegistry(given.DOMAIN_DISABLED_SOURCES),
      wellKnown: openWellKnown(),
      nameModel: given.DOMAIN_NAME_MODEL ? loadNameModel() : undefined,
    },
    live: given.DOMAIN_LIVE ? liveChecks(given) : undefined,
  }),
  routes: domainRoutes,
  errorBody: (failure) => ({
    detail:
      failure.details.length > 0
        ? validationRows(failure)
        : { error: failure.code, message: failure.message },
  }),
});
