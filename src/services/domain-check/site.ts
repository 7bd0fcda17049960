import { domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { isHostName, parseAddress } from '../../foundation/http/web-address.ts';

/** The site behind an address: its registrable name and the parts that the checks look at. */
export interface Site {
  /** Host in ASCII (IDNA) form, lower case, without a trailing dot. */
  host: string;
  /** Port that the address names, when it is an https address with a port of its own; else 443. */
  tlsPort: number;
  /** Registrable name, ASCII and Unicode forms. A customer's name below a private suffix counts as registrable. */
  domain: string;
  domainUnicode: string;
  /** The part of the registrable name before the suffix, ASCII and Unicode forms. */
  label: string;
  labelUnicode: string;
  /** Public suffix, such as `co.uk` or `blogspot.com`. */
  suffix: string;
  /** `private`: names below it are handed out by a company; `unlisted`: not on the public suffix list at all. */
  suffixKind: 'icann' | 'private' | 'unlisted';
  /** What stands before the registrable name, without a leading `www`; empty when nothing does. */
  subdomain: string;
}

/** Why a host has no registrable name. */
export type NoSiteReason = 'ip_address' | 'single_label' | 'special_use_name' | 'public_suffix';

/** A host that cannot be registered: judged neither good nor bad. */
export interface NoSite {
  host: string;
  reason: NoSiteReason;
}

const HTTPS_PORT = 443;
/** Set aside for documentation (RFC 2606), yet registered and on the web like any other name. */
const DOCUMENTATION_NAMES = new Set(['example.com', 'example.net', 'example.org']);

/** Reads an address or a bare host name; undefined when it is neither. */
export function readSite(input: string): Site | NoSite | undefined {
  const url = readAddress(input.trim());
  if (url === undefined) return undefined;
  const host = url.hostname.replace(/\.$/, '').toLowerCase();
  const parts = parse(host, { allowPrivateDomains: true, detectSpecialUse: true, validateHostname: false });
  if (parts.isIp === true) return { host: host.replace(/^\[|\]$/g, ''), reason: 'ip_address' };
  if (!isHostName(host)) return undefined;
  if (!host.includes('.')) return { host, reason: 'single_label' };
  if (parts.isSpecialUse === true && !DOCUMENTATION_NAMES.has(parts.domain ?? ''))
    return { host, reason: 'special_use_name' };
  if (parts.domain === null || parts.domainWithoutSuffix === null || parts.publicSuffix === null) {
    return { host, reason: 'public_suffix' };
  }
  const suffixKind = parts.isIcann === true ? 'icann' : parts.isPrivate === true ? 'private' : 'unlisted';
  return {
    host,
    tlsPort: url.protocol === 'https:' && url.port !== '' ? Number(url.port) : HTTPS_PORT,
    domain: parts.domain,
    domainUnicode: domainToUnicode(parts.domain) || parts.domain,
    label: parts.domainWithoutSuffix,
    labelUnicode: domainToUnicode(parts.domainWithoutSuffix) || parts.domainWithoutSuffix,
    suffix: parts.publicSuffix,
    suffixKind,
    subdomain: (parts.subdomain ?? '').replace(/^www(?:\.|$)/, ''),
  };
}

/** The host itself and each parent down to the registrable name, most specific first: the names to look up in lists. */
export function lookupNames(site: Site): string[] {
  const names: string[] = [];
  for (let name = site.host; name.length > site.domain.length; name = name.slice(name.indexOf('.') + 1)) {
    if (name !== `www.${site.domain}`) names.push(name);
  }
  return [...names, site.domain];
}

function readAddress(input: string): URL | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(input);
  if (hasScheme && !/^https?:\/\//i.test(input)) return undefined;
  if (!hasScheme && /[\s/?#@\\]/.test(input)) return undefined;
  return parseAddress(hasScheme ? input : `http://${input}`);
}
