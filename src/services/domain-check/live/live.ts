import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { startDeadline } from '../../../foundation/deadline.ts';
import type { Site } from '../site.ts';
import { askCertificate, type Certificate, type HandshakeRules } from './certificate.ts';
import type { NameLookup, NameRecords } from './names.ts';
import { askRegistry, type Registration, recordAddress } from './registration.ts';
import { type Checked, NoAnswer, notRun, runCheck } from './state.ts';

/** What the network says of a site at one moment. */
export interface LiveEvidence {
  /** When it was asked, ISO 8601; null when nothing was. */
  checkedAt: string | null;
  registration: Checked<Registration>;
  names: Checked<NameRecords>;
  certificate: Checked<Certificate>;
}

/** Time limits in milliseconds; `total` holds for all checks of one site together. */
export interface LiveLimits {
  total: number;
  registration: number;
  names: number;
  certificate: number;
}

/** How long answers are kept, in milliseconds. */
export interface LiveMemory {
  entries: number;
  answered: number;
  incomplete: number;
  /** For how long a server that could not be reached is not asked again. */
  unreachable: number;
}

interface LiveParts {
  names: NameLookup;
  dispatcher: Dispatcher;
  registryServer: string | undefined;
  handshake: HandshakeRules;
  limits: LiveLimits;
  memory: LiveMemory;
  /** Sites that are asked about at the same time; more get no live evidence for the moment. */
  concurrency: number;
}

/** Asks registry, domain name system and web server about sites; never throws. */
export interface Live {
  check(site: Site): Promise<LiveEvidence>;
  close(): Promise<void>;
}

/** The evidence of a check that was not wanted. */
export function withoutLive(reason: 'switched_off' | 'not_requested'): LiveEvidence {
  return {
    checkedAt: null,
    registration: notRun('off', reason),
    names: notRun('off', reason),
    certificate: notRun('off', reason),
  };
}

const notAsked = { state: 'failed', reason: 'busy', durationMs: 0, facts: undefined } as const;

/** The evidence when too many sites are asked about already. */
const busy: LiveEvidence = {
  checkedAt: null,
  registration: notAsked,
  names: notAsked,
  certificate: notAsked,
};

/** Reasons that speak of the way to a server, not of the site that was asked about. */
const wayReasons = new Set(['unreachable', 'unreliable_resolver', 'timeout']);

/** Servers that could not be reached lately, so that a machine without network does not wait for each site anew. */
class Unreachable {
  readonly #until = new Map<string, number>();
  readonly #forMs: number;

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  has(server: string): boolean {
    return (this.#until.get(server) ?? 0) > Date.now();
  }

  note(server: string, checked: Checked<unknown>): void {
    if (checked.state === 'answered') this.#until.delete(server);
    else if (wayReasons.has(checked.reason ?? '')) this.#until.set(server, Date.now() + this.#forMs);
  }
}

/** Builds the live checks over given parts. */
export function createLive(parts: LiveParts): Live {
  const closing = new AbortController();
  const unreachable = new Unreachable(parts.memory.unreachable);
  const cache = new LRUCache<string, LiveEvidence>({ max: parts.memory.entries });
  const running = new Map<string, Promise<LiveEvidence>>();

  const ask = async (site: Site, key: string): Promise<LiveEvidence> => {
    const deadline = startDeadline(parts.limits.total, closing.signal);
    const evidence = await askAll(site, parts, unreachable, deadline.signal).finally(deadline.stop);
    const complete = [evidence.registration, evidence.names, evidence.certificate].every(
      ({ state }) => state !== 'failed',
    );
    cache.set(key, evidence, { ttl: complete ? parts.memory.answered : parts.memory.incomplete });
    return evidence;
  };

  return {
    check(site) {
      const key = `${site.host}:${site.tlsPort}`;
      const known = cache.get(key);
      if (known !== undefined) return Promise.resolve(known);
      if (!running.has(key) && running.size >= parts.concurrency) return Promise.resolve(busy);
      const flight = running.get(key) ?? ask(site, key).finally(() => running.delete(key));
      running.set(key, flight);
      return flight;
    },
    async close() {
      closing.abort();
      await Promise.allSettled(running.values());
      await parts.dispatcher.close();
    },
  };
}

async function askAll(
  site: Site,
  parts: LiveParts,
  unreachable: Unreachable,
  signal: AbortSignal,
): Promise<LiveEvidence> {
  const checkedAt = new Date().toISOString();
  const registration = checkRegistration(site, parts, unreachable, signal);
  const names = await checkNames(site, parts, unreachable, signal);
  const certificate = await checkCertificate(site, parts, names, signal);
  return { checkedAt, registration: await registration, names, certificate };
}

async function checkRegistration(
  site: Site,
  parts: LiveParts,
  unreachable: Unreachable,
  signal: AbortSignal,
): Promise<Checked<Registration>> {
  // The registration of a hosting service says nothing of a customer's site.
  if (site.suffixKind === 'private') return notRun('skipped', 'hosted_name');
  const address = recordAddress(site, parts.registryServer);
  if (address === undefined) return notRun('skipped', 'no_registry_server');
  const { origin } = new URL(address);
  const checked = await runCheck(
    async (limit) => {
      if (unreachable.has(origin)) throw new NoAnswer('unreachable_lately');
      return askRegistry(address, parts.dispatcher, limit);
    },
    parts.limits.registration,
    signal,
  );
  unreachable.note(origin, checked);
  return checked;
}

async function checkNames(
  site: Site,
  parts: LiveParts,
  unreachable: Unreachable,
  signal: AbortSignal,
): Promise<Checked<NameRecords>> {
  const checked = await runCheck(
    async (limit) => {
      if (unreachable.has('dns')) throw new NoAnswer('unreachable_lately');
      return parts.names.ask(site, limit);
    },
    parts.limits.names,
    signal,
  );
  unreachable.note('dns', checked);
  return checked;
}

async function checkCertificate(
  site: Site,
  parts: LiveParts,
  names: Checked<NameRecords>,
  signal: AbortSignal,
): Promise<Checked<Certificate>> {
  return runCheck(
    async (limit) => {
      if (names.facts === undefined) throw new NoAnswer('no_name_records');
      return askCertificate(site, names.facts.addresses, parts.handshake, limit);
    },
    parts.limits.certificate,
    signal,
  );
}
