import { getDomain } from 'tldts';

/** Longest name, and longest part of one, that DNS carries. */
const LONGEST_NAME = 253;
const LABEL = /^[a-z0-9_-]{1,63}$/;

/** Whether the host of a parsed address, in ASCII, without its final dot, is a name that can be looked up. */
export function isHostName(host: string): boolean {
  return host.length <= LONGEST_NAME && host.split('.').every((label) => LABEL.test(label));
}

/**
 * The parsed address, or undefined when it is none. Not by URL.canParse: that of Node 20 calls addresses such as
 * https://bücher.de/ unreadable once it has been optimised.
 */
export function parseAddress(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** The registrable name of an address, private suffixes included; the bare host, without port, where there is none. */
export function siteOf(url: string): string {
  const host = parseAddress(url)?.hostname.toLowerCase() ?? url;
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
