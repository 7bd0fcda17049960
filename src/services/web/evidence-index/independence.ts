import { siteOf } from '../../../foundation/http/web-address.ts';

/** The site and the publisher of a source. */
export interface SourceIdentity {
  readonly url: string | null;
  readonly publisher: string | null;
}

const nameOf = (publisher: string) => publisher.normalize('NFC').trim().toLowerCase();

/** Counts independent sources: sources of the same site or the same publisher count once. */
export function countIndependentSources(sources: readonly SourceIdentity[]): number {
  const sites = new Set<string>();
  const publishers = new Set<string>();
  let count = 0;
  for (const { url, publisher } of sources) {
    if (url === null) continue;
    const [site, name] = [siteOf(url), publisher === null ? undefined : nameOf(publisher)];
    const known = sites.has(site) || (name !== undefined && publishers.has(name));
    sites.add(site);
    if (name !== undefined) publishers.add(name);
    if (!known) count += 1;
  }
  return count;
}
