import { siteOf } from '../../../foundation/http/web-address.ts';

/** A source as far as its independence goes. */
export interface Voice {
  readonly url: string | null;
  readonly publisher: string | null;
}

const nameOf = (publisher: string) => publisher.normalize('NFC').trim().toLowerCase();

/** How many independent voices there are: each of another site, and none of a publisher that has spoken already. */
export function independentVoices(voices: readonly Voice[]): number {
  const sites = new Set<string>();
  const publishers = new Set<string>();
  let count = 0;
  for (const { url, publisher } of voices) {
    if (url === null) continue;
    const [site, name] = [siteOf(url), publisher === null ? undefined : nameOf(publisher)];
    const known = sites.has(site) || (name !== undefined && publishers.has(name));
    sites.add(site);
    if (name !== undefined) publishers.add(name);
    if (!known) count += 1;
  }
  return count;
}
