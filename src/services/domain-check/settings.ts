import { Resolver } from 'node:dns';
import { z } from 'zod';
import { privateHosts } from '../../foundation/http/allow-list.ts';
import { address, flag, integer, list, optionalText } from '../../foundation/settings.ts';
import { sources } from './lists/sources.ts';

const SOURCE_CODES = sources.map((source) => source.code);

const areResolvers = (entries: readonly string[]) => {
  try {
    new Resolver().setServers(entries);
    return true;
  } catch {
    return false;
  }
};

/** A host with or without a port, or `none`. */
const whoisServer = () =>
  optionalText().transform((value, context) => {
    if (value === undefined || value === 'none') return value;
    const [, host, port] = /^([a-z0-9][a-z0-9.-]*)(?::(\d{1,5}))?$/i.exec(value) ?? [];
    if (host !== undefined && Number(port ?? 1) > 0 && Number(port ?? 1) < 65_536)
      return { host, ...(port !== undefined && { port: Number(port) }) };
    context.addIssue({ code: 'custom', message: 'must be a host, with or without a port, or none' });
    return z.NEVER;
  });

/** Settings of the domain credibility check, named as in the environment. */
export const domainCheckSettings = z.object({
  DOMAIN_LIVE: flag(true).describe(
    'Ask registries, name servers and web servers about a domain; off means offline evidence only.',
  ),
  DOMAIN_RDAP_URL: address().describe(
    'Base address of the RDAP server for all suffixes; unset means the built-in server of each suffix.',
  ),
  DOMAIN_WHOIS_SERVER: whoisServer().describe(
    'WHOIS server for all suffixes, as host or host:port, asked where RDAP has no record; `none` asks nobody. Unset means the server of each suffix, and nobody when DOMAIN_RDAP_URL is set.',
  ),
  DOMAIN_RESOLVERS: list()
    .refine(areResolvers, { error: 'must be addresses, with or without a port' })
    .describe(
      'Name servers to ask, as address or address:port, separated by commas; unset means those of the system.',
    ),
  DOMAIN_DISABLED_SOURCES: list()
    .refine((chosen) => chosen.every((code) => SOURCE_CODES.includes(code)), {
      error: `must name sources among ${SOURCE_CODES.join(', ')}`,
    })
    .describe(`Ratings and lists that are not used, separated by commas: ${SOURCE_CODES.join(', ')}.`),
  DOMAIN_NAME_MODEL: flag(true).describe(
    'Let the letters of a name of an unknown site move its score a little.',
  ),
  DOMAIN_TIMEOUT_MS: integer(4000, 100, 30_000).describe('Time for all live checks of one domain together.'),
  DOMAIN_RDAP_TIMEOUT_MS: integer(3500, 100, 30_000).describe('Time for the registry.'),
  DOMAIN_WHOIS_TIMEOUT_MS: integer(2500, 100, 30_000).describe('Time for WHOIS.'),
  DOMAIN_DNS_TIMEOUT_MS: integer(2500, 100, 30_000).describe('Time for the name servers.'),
  DOMAIN_TLS_TIMEOUT_MS: integer(2500, 100, 30_000).describe('Time for the certificate.'),
  DOMAIN_LIVE_CONCURRENCY: integer(64, 1, 10_000).describe(
    'Domains that are asked about at the same time; more are judged on offline evidence, and say so.',
  ),
  DOMAIN_CACHE_ENTRIES: integer(5000, 1, 1_000_000).describe(
    'Domains whose live evidence is kept in memory.',
  ),
  DOMAIN_CACHE_SECONDS: integer(3600, 1, 604_800).describe('How long complete live evidence is kept.'),
  DOMAIN_RETRY_SECONDS: integer(60, 1, 86_400).describe(
    'How long incomplete live evidence is kept, and how long an unreachable server is not asked again.',
  ),
  WEB_ALLOWED_PRIVATE_HOSTS: privateHosts().describe(
    'Private hosts that addresses from users may lead to: host, host:port or CIDR, separated by commas.',
  ),
});

/** Checked settings of the domain credibility check. */
export type DomainCheckSettings = z.infer<typeof domainCheckSettings>;
