import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** How a socket for both kinds of addresses names an IPv4 peer. */
const MAPPED = '::ffff:';
/** Bits of an IPv6 address that name one household or machine; the rest is its own to choose. */
const IPV6_SITE_BITS = 64;

function parse(text: string): Address | undefined {
  const bare = text.trim().replace(/^\[(.*)\](?::\d+)?$/, '$1');
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}

function isWithin(address: Address, networks: readonly string[]): boolean {
  return networks.some((network) => {
    const [base, bits] = ipaddr.isValidCIDR(network)
      ? ipaddr.parseCIDR(network)
      : ([ipaddr.process(network), undefined] as const);
    if (base.kind() !== address.kind()) return false;
    return address.match(base, bits ?? (base.kind() === 'ipv4' ? 32 : 128));
  });
}

/**
 * The address that a request comes from: the peer, or, when the peer is a trusted proxy, the last address of its
 * X-Forwarded-For that is not one. What stands left of that address was written by the caller.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: readonly string[],
): string {
  if (trusted.length === 0) return peer.startsWith(MAPPED) ? peer.slice(MAPPED.length) : peer;
  let address = parse(peer);
  if (address === undefined) return peer;
  const chain = (forwardedFor ?? '').split(',').filter((item) => item.trim() !== '');
  while (isWithin(address, trusted)) {
    const before = parse(chain.pop() ?? '');
    if (before === undefined) break;
    address = before;
  }
  return address.toString();
}

/** The name of a rate-limit bucket for an address: IPv6 callers share one for each /64. */
export function addressBucket(address: string): string {
  if (!address.includes(':')) return `address:${address}`;
  const parsed = parse(address);
  if (parsed === undefined || parsed.kind() === 'ipv4') return `address:${address}`;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address}/${IPV6_SITE_BITS}`);
  return `address:${network.toString()}`;
}
