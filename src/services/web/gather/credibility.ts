import type { Client } from '../../../foundation/client.ts';
import { siteOf } from '../../../foundation/http/web-address.ts';
import type { DomainRecord, domainCheck } from '../../domain-check/contract.ts';

/** How far the sources behind addresses can be trusted, 0 to 1; null where nothing is known. */
export type Credibility = (urls: readonly string[], signal: AbortSignal) => Promise<(number | null)[]>;

/** Sites that are asked for at once. */
const AT_ONCE = 5;

/** The credibility of a site; a guess by the letters of its name is none: the site is not rated. */
function credibilityOf(record: DomainRecord | undefined): number | null {
  if (record === undefined || record.trust_score === null || record.basis === 'name') return null;
  return Math.round(record.trust_score * 10) / 1000;
}

/** Asks the domain check, by its lists and models alone: the network would cost more time than evidence has. */
export function createCredibility(
  client: Pick<Client<typeof domainCheck>, 'check'> | undefined,
): Credibility {
  return async (urls, signal) => {
    const sites = new Map(urls.filter((url) => /^https?:/.test(url)).map((url) => [siteOf(url), url]));
    const scores = new Map<string, number | null>();
    const waiting = sites.entries();
    const work = async () => {
      for (const [site, url] of waiting) {
        const record = await client?.check({ body: { url, live: false } }, { signal });
        scores.set(site, credibilityOf(record));
      }
    };
    if (client !== undefined) await Promise.all(Array.from({ length: AT_ONCE }, work));
    return urls.map((url) => scores.get(siteOf(url)) ?? null);
  };
}
