import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IPv6 that is routed on the public network at all (RFC 4291 section 2.4, IANA: 2000::/3). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Names under which cloud providers publish machine credentials. */
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Addresses of the same services; 168.63.129.16 is a public address, so no range covers it. */
const METADATA_ADDRESSES = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
]);

/** One spelling per address: IPv4-mapped IPv6 is unwrapped, zeros are folded; undefined when it is no address. */
export function normalAddress(text: string): string | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.process(text).toString();
}

/** True for an address on the public network: neither private, local, reserved, nor a tunnel to one of those. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (METADATA_ADDRESSES.has(address.toString())) return false;
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_UNICAST)) return false;
  return address.range() === 'unicast';
}

/** True for a host, name or address, that hands out credentials of the machine; no list can open these. */
export function isMetadataHost(host: string): boolean {
  return METADATA_NAMES.has(host) || METADATA_ADDRESSES.has(normalAddress(host) ?? '');
}
