import { z } from 'zod';
import bootstrap from '../../../../data/domains/rdap-servers.json' with { type: 'json' };
import { createVendorClient, type VendorClient, type VendorLoss } from '../../../foundation/vendor-client.ts';
import type { Site } from '../site.ts';
import { NoAnswerError } from './live-check.ts';

/** What the registry says of a name. */
export interface Registration {
  found: boolean;
  /** Address of the record, for readers who want to look it up. */
  record: string;
  registeredAt: string | null;
  changedAt: string | null;
  expiresAt: string | null;
  registrar: string | null;
  status: string[];
  nameServers: string[];
  delegationSigned: boolean | null;
}

/** A record of a registry is a few kilobytes; more is no record. */
const LARGEST_RECORD = 512 * 1024;
/** Registries are many and each is asked rarely. */
const REGISTRY_CONNECTIONS = 4;

const SERVER_BY_SUFFIX = new Map(
  Object.entries(bootstrap.servers).flatMap(([server, suffixes]) =>
    suffixes.map((suffix) => [suffix, server] as const),
  ),
);

/** The fields of a domain object that are read (RFC 9083 section 5.3); anything else, and any of them in another shape, is ignored. */
export const domainObject = z
  .object({
    objectClassName: z.string().optional().catch(undefined),
    ldhName: z.string().optional().catch(undefined),
    status: z.array(z.string()).catch([]),
    events: z
      .array(z.object({ eventAction: z.string(), eventDate: z.string() }).optional().catch(undefined))
      .catch([]),
    nameservers: z.array(z.object({ ldhName: z.string() }).optional().catch(undefined)).catch([]),
    secureDNS: z.object({ delegationSigned: z.boolean() }).optional().catch(undefined),
    entities: z
      .array(
        z
          .object({ roles: z.array(z.string()).catch([]), vcardArray: z.unknown() })
          .optional()
          .catch(undefined),
      )
      .catch([]),
  })
  .refine(({ objectClassName }) => objectClassName === undefined || objectClassName === 'domain')
  .refine(({ ldhName, events }) => ldhName !== undefined || events.length > 0);

type DomainObject = z.infer<typeof domainObject>;

/** Address of the record of a site: at the given server, or at the one of its top-level domain; undefined when none is known. */
export function recordAddress(site: Site, server: string | undefined): string | undefined {
  const base = server ?? SERVER_BY_SUFFIX.get(site.domain.slice(site.domain.lastIndexOf('.') + 1));
  return base === undefined ? undefined : `${base}/domain/${encodeURIComponent(site.domain)}`;
}

/** The registration that a domain object describes. */
export function registrationOf(record: DomainObject, address: string): Registration {
  const dateOf = (action: string) => {
    const event = record.events.find((candidate) => candidate?.eventAction.toLowerCase() === action);
    return event === undefined ? null : isoDate(event.eventDate);
  };
  return {
    found: true,
    record: address,
    registeredAt: dateOf('registration'),
    changedAt: dateOf('last changed'),
    expiresAt: dateOf('expiration'),
    registrar: registrarOf(record.entities),
    status: record.status.map((status) => status.toLowerCase()),
    nameServers: record.nameservers.flatMap(
      (server) => server?.ldhName.toLowerCase().replace(/\.$/, '') ?? [],
    ),
    delegationSigned: record.secureDNS?.delegationSigned ?? null,
  };
}

function isoDate(text: string): string | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

const card = z.tuple([z.literal('vcard'), z.array(z.array(z.unknown()))]);

function registrarOf(entities: DomainObject['entities']): string | null {
  const registrar = entities.find((entity) => entity?.roles.includes('registrar'));
  const result = card.safeParse(registrar?.vcardArray);
  const name = result.success ? result.data[1].find(([field]) => field === 'fn')?.[3] : undefined;
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Builds the client of all registries; `retryMs` is how long a registry that failed is not asked again. */
export function createRegistryClient(timeoutMs: number, retryMs: number): VendorClient {
  return createVendorClient({
    name: 'rdap',
    headers: { accept: 'application/rdap+json, application/json;q=0.9' },
    timeoutMs,
    answerBytes: LARGEST_RECORD,
    connections: REGISTRY_CONNECTIONS,
    // The first failure opens the circuit: each further one would cost a check its whole time.
    breaker: { requests: 1, failureShare: 0.5, openMs: retryMs, windowMs: retryMs },
  });
}

/** Asks the registry. A name that the registry does not have is an answer; everything else that is no record is not. */
export async function fetchRegistration(
  address: string,
  registries: Pick<VendorClient, 'getJson'>,
  signal: AbortSignal,
): Promise<Registration> {
  const answer = await registries.getJson(address, domainObject, { signal });
  if (answer.ok) return registrationOf(answer.value, address);
  if (answer.status === 404) return { ...UNREGISTERED, record: address };
  throw new NoAnswerError(reasonOf(answer));
}

function reasonOf({ reason, sent, status }: VendorLoss): string {
  switch (reason) {
    case 'timeout':
    case 'aborted':
      return 'timeout';
    case 'rate_limited':
      return 'rate_limited';
    case 'unavailable':
      if (!sent) return 'unreachable_lately';
      return status === undefined ? 'unreachable' : 'invalid_answer';
    default:
      return 'invalid_answer';
  }
}

/** What is known of a name that is not registered. */
export const UNREGISTERED = {
  found: false,
  registeredAt: null,
  changedAt: null,
  expiresAt: null,
  registrar: null,
  status: [],
  nameServers: [],
  delegationSigned: null,
};
