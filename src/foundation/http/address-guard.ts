import { isIP } from 'node:net';
import { isMetadataHost, isPublicAddress } from './addresses.ts';
import { type AllowList, bareHost } from './allow-list.ts';
import { FetchError } from './reasons.ts';
import { isHostName, parseAddress } from './web-address.ts';

/** Ports of the web; any other needs an entry of the allow-list. */
const WEB_PORTS = new Set([80, 443]);

/** Longest address that is read, in UTF-16 units; beyond 8 KiB servers answer 414 anyway. */
const LONGEST_ADDRESS = 8192;

/** Most redirects that are followed for one address. */
export const REDIRECT_LIMIT = 5;

const refuse = (why: string) => new FetchError('url_not_allowed', why);

/** Port of a parsed address, the default one of its scheme included. */
export const portOf = (url: URL) =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);

/** Host of a parsed address: a name without final dot, or an address without brackets. */
export function hostOf(url: URL): string {
  return bareHost(url.hostname).replace(/^\[(.*)\]$/, '$1');
}

/** Parses an untrusted address; throws a FetchError for one that must never be fetched. */
export function checkAddress(text: string, allow: AllowList): URL {
  if (text.length > LONGEST_ADDRESS) throw refuse('The address is too long.');
  const url = parseAddress(text);
  if (url === undefined) throw refuse('This is not an absolute web address.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuse('Only http and https addresses are fetched.');
  }
  if (url.username !== '' || url.password !== '')
    throw refuse('The address carries a user name or password.');
  const host = hostOf(url);
  if (host === '') throw refuse('The address names no host.');
  if (isMetadataHost(host)) throw refuse('The address leads into a private network.');
  checkHostAndPort(host, portOf(url), allow);
  return url;
}

const isOwnMachine = (host: string) => /(?:^|\.)localhost$/i.test(host);

/** IP literals are decided here, since no resolver is asked about them. */
function checkHostAndPort(host: string, port: number, allow: AllowList): void {
  if (isIP(host) !== 0) {
    checkResolved(host, host, port, allow);
    return;
  }
  if (!isHostName(host)) throw refuse('The host of the address is no name that can be looked up.');
  // RFC 6761: these names mean this machine wherever they are resolved.
  if (isOwnMachine(host) && !allow.admitsName(host, port)) {
    throw refuse('The address leads into a private network.');
  }
  if (!WEB_PORTS.has(port) && !allow.admitsName(host, port) && !allow.mayAdmitPort(port)) {
    throw refuse('The port of the address is not allowed.');
  }
}

/** Checks one IP address that `host` resolved to; the connection must then use exactly this address. */
export function checkResolved(
  host: string,
  address: string,
  port: number,
  allow: AllowList,
  ports: ReadonlySet<number> = WEB_PORTS,
): void {
  if (isMetadataHost(address)) throw refuse('The address leads into a private network.');
  if (allow.admitsName(host, port) || allow.admitsAddress(address, port)) return;
  if (!isPublicAddress(address)) throw refuse('The address leads into a private network.');
  if (!ports.has(port)) throw refuse('The port of the address is not allowed.');
}

/** Where a redirect leads, checked like a first address and never from https to http. */
export function checkRedirect(from: URL, location: string, allow: AllowList): URL {
  const target = parseAddress(location, from.href);
  if (target === undefined) throw refuse('The redirect leads to no web address.');
  const next = checkAddress(target.href, allow);
  if (from.protocol === 'https:' && next.protocol === 'http:') {
    throw refuse('The redirect leads from an encrypted to an open connection.');
  }
  return next;
}
