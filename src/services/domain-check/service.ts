import { detailBody } from '../../foundation/errors.ts';
import type { Probeable } from '../../foundation/health.ts';
import { parseAllowList } from '../../foundation/http/allow-list.ts';
import { systemResolve } from '../../foundation/http/connector.ts';
import { defineService } from '../../foundation/service.ts';
import { domainCheck } from './contract.ts';
import type { OfflineKnowledge } from './judgement/check.ts';
import { openPublishedLists } from './lists/published-lists.ts';
import { createLiveChecks, type LiveChecks } from './live/live.ts';
import { createNameLookup } from './live/names.ts';
import { createRegistryClient } from './live/registration.ts';
import { createWhois, type Whois } from './live/whois.ts';
import { loadNameModel } from './name/model.ts';
import { openWellKnownNames } from './name/well-known.ts';
import { type DomainCheckDependencies, domainRoutes } from './routes.ts';
import { type DomainCheckSettings, domainCheckSettings } from './settings.ts';
import { readSite } from './site.ts';
import { domainCheckLiveSettings } from './tunables.ts';

/** What the lookup leaves of its time, so that it ends with a reason instead of being cut off. */
const NAMES_MARGIN_MS = 50;

/** Port of WHOIS (RFC 3912). */
const WHOIS_PORT = 43;

/** With a registry server of the operator alone, no other server is asked about names. */
function whoisClient(settings: DomainCheckSettings): Whois | undefined {
  const { DOMAIN_WHOIS_SERVER: server, DOMAIN_WHOIS_TIMEOUT_MS: limitMs } = settings;
  if (server === 'none' || (server === undefined && settings.DOMAIN_RDAP_URL !== undefined)) return undefined;
  return createWhois({
    server: server === undefined ? undefined : { port: WHOIS_PORT, ...server },
    port: WHOIS_PORT,
    outbound: {
      allow: parseAllowList(settings.WEB_ALLOWED_PRIVATE_HOSTS),
      resolve: systemResolve,
      dnsMs: limitMs,
      connectMs: limitMs,
    },
    limitMs,
    retryMs: settings.DOMAIN_RETRY_SECONDS * 1000,
  });
}

function liveChecks(settings: DomainCheckSettings): LiveChecks {
  const retryMs = settings.DOMAIN_RETRY_SECONDS * 1000;
  return createLiveChecks({
    names: createNameLookup(settings.DOMAIN_RESOLVERS, settings.DOMAIN_DNS_TIMEOUT_MS - NAMES_MARGIN_MS),
    registries: createRegistryClient(settings.DOMAIN_RDAP_TIMEOUT_MS, retryMs),
    registryServer: settings.DOMAIN_RDAP_URL,
    whois: whoisClient(settings),
    handshake: { allow: parseAllowList(settings.WEB_ALLOWED_PRIVATE_HOSTS) },
    limits: {
      get total() {
        return settings.DOMAIN_TIMEOUT_MS;
      },
      names: settings.DOMAIN_DNS_TIMEOUT_MS,
      get certificate() {
        return settings.DOMAIN_TLS_TIMEOUT_MS;
      },
    },
    get concurrency() {
      return settings.DOMAIN_LIVE_CONCURRENCY;
    },
    memory: {
      entries: settings.DOMAIN_CACHE_ENTRIES,
      get answered() {
        return settings.DOMAIN_CACHE_SECONDS * 1000;
      },
      incomplete: retryMs,
      unreachable: retryMs,
    },
  });
}

/** Looked up in every list to see that each can be read. */
const SAMPLE_ADDRESS = 'https://example.com/';

/** Works while every list that is switched on can be read, and there is at least one, or the model of names. */
function offlineEvidence({ lists, nameModel }: OfflineKnowledge): Probeable {
  return {
    probe: async () => {
      if (lists.sources.length === 0 && nameModel === undefined)
        throw new Error('no list is switched on, nor the model of names');
      const site = readSite(SAMPLE_ADDRESS);
      if (site !== undefined && 'domain' in site) lists.lookUp(site);
    },
  };
}

/** The domain credibility check as a service. */
export const domainCheckService = defineService({
  contract: domainCheck,
  settings: domainCheckSettings,
  live: domainCheckLiveSettings,
  needs: async (settings): Promise<DomainCheckDependencies> => ({
    offline: {
      lists: openPublishedLists(settings.DOMAIN_DISABLED_SOURCES),
      wellKnown: openWellKnownNames(),
      nameModel: settings.DOMAIN_NAME_MODEL ? loadNameModel() : undefined,
    },
    live: settings.DOMAIN_LIVE ? liveChecks(settings) : undefined,
  }),
  routes: domainRoutes,
  // Without name servers the offline evidence remains; with neither lists nor a name model there is nothing to judge by.
  health: ({ offline, live }) => ({
    parts: { offline_evidence: offlineEvidence(offline), name_servers: live },
    critical: ['offline_evidence'],
  }),
  errorBody: detailBody,
});
