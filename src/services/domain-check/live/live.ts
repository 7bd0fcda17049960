import { LRUCache } from 'lru-cache';
import { CircuitBreaker, type HasCircuits } from '../../../foundation/breaker.ts';
import { startDeadline } from '../../../foundation/deadline.ts';
import type { Probeable } from '../../../foundation/health.ts';
import type { VendorClient } from '../../../foundation/vendor-client.ts';
import type { Site } from '../site.ts';
import { type Certificate, fetchCertificate, type HandshakeRules } from './certificate.ts';
import { type LiveCheck, notRun, runLiveCheck } from './live-check.ts';
import type { NameLookup, NameRecords } from './names.ts';
import { fetchRegistration, type Registration, recordAddress } from './registration.ts';
import type { Whois } from './whois.ts';

/** The results of the live checks of a site. */
export interface LiveEvidence {
  /** Time of the checks, ISO 8601; null when none ran. */
  checkedAt: string | null;
  registration: LiveCheck<Registration>;
  names: LiveCheck<NameRecords>;
  certificate: LiveCheck<Certificate>;
}

/** Time limits in milliseconds; `total` holds for all checks of one site together, the registration's included. */
export interface LiveLimits {
  total: number;
  names: number;
  certificate: number;
}

/** How long answers are kept, in milliseconds. */
export interface LiveCacheRules {
  entries: number;
  answered: number;
  incomplete: number;
  /** For how long name servers that could not be reached are not asked again. */
  unreachable: number;
}

interface LiveDependencies {
  names: NameLookup;
  registries: Pick<VendorClient, 'getJson' | 'close' | 'circuits'>;
  registryServer: string | undefined;
  /** Used when RDAP has no record; undefined when it is switched off. */
  whois: Whois | undefined;
  handshake: HandshakeRules;
  limits: LiveLimits;
  memory: LiveCacheRules;
  /** Sites checked at the same time; further ones get no live evidence. */
  concurrency: number;
}

/** Asks registry, domain name system and web server about sites; never throws. */
export interface LiveChecks extends Probeable, HasCircuits {
  check(site: Site): Promise<LiveEvidence>;
  close(): Promise<void>;
}

/** The evidence when live checks are off. */
export function missingLiveEvidence(reason: 'switched_off' | 'not_requested'): LiveEvidence {
  return {
    checkedAt: null,
    registration: notRun('off', reason),
    names: notRun('off', reason),
    certificate: notRun('off', reason),
  };
}

const BUSY_CHECK = { state: 'failed', reason: 'busy', durationMs: 0, facts: undefined } as const;

/** The evidence when too many sites are being checked. */
const BUSY: LiveEvidence = {
  checkedAt: null,
  registration: BUSY_CHECK,
  names: BUSY_CHECK,
  certificate: BUSY_CHECK,
};

/** Reasons that mean a failure of the name servers, not of the site. */
const RESOLVER_FAILURES = new Set<string | null>(['unreachable', 'unreliable_resolver', 'timeout']);

/** Builds the live checks over given dependencies. */
export function createLiveChecks(dependencies: LiveDependencies): LiveChecks {
  const closing = new AbortController();
  const { unreachable } = dependencies.memory;
  // The first failure opens the circuit: without a network each further one would cost a check its whole time.
  const resolvers = new CircuitBreaker({
    requests: 1,
    failureShare: 0.5,
    openMs: unreachable,
    windowMs: unreachable,
  });
  const cache = new LRUCache<string, LiveEvidence>({ max: dependencies.memory.entries });
  const running = new Map<string, Promise<LiveEvidence>>();

  const ask = async (site: Site, key: string): Promise<LiveEvidence> => {
    const deadline = startDeadline(dependencies.limits.total, closing.signal);
    const evidence = await askAll(site, dependencies, resolvers, deadline.signal).finally(deadline.stop);
    const complete = [evidence.registration, evidence.names, evidence.certificate].every(
      ({ state }) => state !== 'failed',
    );
    cache.set(key, evidence, {
      ttl: complete ? dependencies.memory.answered : dependencies.memory.incomplete,
    });
    return evidence;
  };

  return {
    check(site) {
      const key = `${site.host}:${site.tlsPort}`;
      const known = cache.get(key);
      if (known !== undefined) return Promise.resolve(known);
      if (!running.has(key) && running.size >= dependencies.concurrency) return Promise.resolve(BUSY);
      const flight = running.get(key) ?? ask(site, key).finally(() => running.delete(key));
      running.set(key, flight);
      return flight;
    },
    circuits: [...dependencies.registries.circuits, { name: 'name_servers', state: () => resolvers.state() }],
    probe: (signal) => dependencies.names.probe(signal),
    async close() {
      closing.abort();
      await Promise.allSettled(running.values());
      await dependencies.registries.close();
    },
  };
}

async function askAll(
  site: Site,
  dependencies: LiveDependencies,
  resolvers: CircuitBreaker,
  signal: AbortSignal,
): Promise<LiveEvidence> {
  const checkedAt = new Date().toISOString();
  const registration = checkRegistration(site, dependencies, signal);
  const names = await checkNames(site, dependencies, resolvers, signal);
  const certificate = await checkCertificate(site, dependencies, names, signal);
  return { checkedAt, registration: await registration, names, certificate };
}

async function checkRegistration(
  site: Site,
  dependencies: LiveDependencies,
  signal: AbortSignal,
): Promise<LiveCheck<Registration>> {
  // The registration of a hosting service says nothing of a customer's site.
  if (site.suffixKind === 'private') return notRun('skipped', 'hosted_name');
  const address = recordAddress(site, dependencies.registryServer);
  // The client of the registries has a time limit of its own.
  const inRdap =
    address === undefined
      ? notRun<Registration>('skipped', 'no_registry_server')
      : await runLiveCheck((limit) => fetchRegistration(address, dependencies.registries, limit), signal);
  const { whois } = dependencies;
  if (inRdap.state === 'answered' || whois === undefined || site.suffixKind === 'unlisted') return inRdap;
  const inWhois = await runLiveCheck((limit) => whois.ask(site, limit), signal);
  const durationMs = inRdap.durationMs + inWhois.durationMs;
  const isWhoisUsed = inWhois.state === 'answered' || inRdap.state === 'skipped';
  return { ...(isWhoisUsed ? inWhois : inRdap), durationMs };
}

async function checkNames(
  site: Site,
  dependencies: LiveDependencies,
  resolvers: CircuitBreaker,
  signal: AbortSignal,
): Promise<LiveCheck<NameRecords>> {
  const permit = resolvers.admit();
  if (permit === undefined) return notRun('failed', 'unreachable_lately');
  const checked = await runLiveCheck(
    (limit) => dependencies.names.ask(site, limit),
    signal,
    dependencies.limits.names,
  );
  if (RESOLVER_FAILURES.has(checked.reason)) resolvers.failed(permit);
  else resolvers.succeeded(permit);
  return checked;
}

async function checkCertificate(
  site: Site,
  dependencies: LiveDependencies,
  names: LiveCheck<NameRecords>,
  signal: AbortSignal,
): Promise<LiveCheck<Certificate>> {
  const { facts } = names;
  if (facts === undefined) return notRun('failed', 'no_name_records');
  return runLiveCheck(
    (limit) => fetchCertificate(site, facts.addresses, dependencies.handshake, limit),
    signal,
    dependencies.limits.certificate,
  );
}
