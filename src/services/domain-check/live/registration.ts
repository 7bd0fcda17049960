import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import bootstrap from '../../../../data/domains/rdap-servers.json' with { type: 'json' };
import type { Site } from '../site.ts';
import { NoAnswer } from './state.ts';

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

const serverBySuffix = new Map(
  Object.entries(bootstrap.servers).flatMap(([server, suffixes]) =>
    suffixes.map((suffix) => [suffix, server] as const),
  ),
);

/** The fields of RFC 9083 that are read; anything else, and any of them in another shape, is ignored. */
const recordSchema = z.object({
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
});

/** Address of the record of a site: at the given server, or at the one of its top-level domain; undefined when none is known. */
export function recordAddress(site: Site, server: string | undefined): string | undefined {
  const base = server ?? serverBySuffix.get(site.domain.slice(site.domain.lastIndexOf('.') + 1));
  return base === undefined ? undefined : `${base}/domain/${encodeURIComponent(site.domain)}`;
}

/** Reads a record of a registry (RFC 9083); undefined when it is none. */
export function readRecord(body: unknown, address: string): Registration | undefined {
  const result = recordSchema.safeParse(body);
  if (!result.success) return undefined;
  const record = result.data;
  if (record.objectClassName !== undefined && record.objectClassName !== 'domain') return undefined;
  if (record.ldhName === undefined && record.events.length === 0) return undefined;
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

function registrarOf(entities: z.infer<typeof recordSchema>['entities']): string | null {
  const registrar = entities.find((entity) => entity?.roles.includes('registrar'));
  const result = card.safeParse(registrar?.vcardArray);
  const name = result.success ? result.data[1].find(([field]) => field === 'fn')?.[3] : undefined;
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Asks the registry. A name that the registry does not have is an answer; everything else that is no record is not. */
export async function askRegistry(
  address: string,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Registration> {
  const answer = await request(address, {
    dispatcher,
    signal,
    headers: { accept: 'application/rdap+json, application/json;q=0.9' },
  }).catch((cause: unknown) => {
    throw new NoAnswer(signal.aborted ? 'timeout' : 'unreachable', 'failed', { cause });
  });
  if (answer.statusCode === 404) {
    await answer.body.dump();
    return { ...nothing, record: address };
  }
  if (answer.statusCode !== 200) {
    await answer.body.dump();
    throw new NoAnswer(answer.statusCode === 429 ? 'rate_limited' : 'invalid_answer');
  }
  const registration = readRecord(await readJson(answer.body), address);
  if (registration === undefined) throw new NoAnswer('invalid_answer');
  return registration;
}

const nothing = {
  found: false,
  registeredAt: null,
  changedAt: null,
  expiresAt: null,
  registrar: null,
  status: [],
  nameServers: [],
  delegationSigned: null,
};

async function readJson(body: Dispatcher.ResponseData['body']): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_RECORD) throw new NoAnswer('invalid_answer');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (cause) {
    throw new NoAnswer('invalid_answer', 'failed', { cause });
  }
}
