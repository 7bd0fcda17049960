import { siteOf } from '../../../foundation/http/web-address.ts';
import type { EvidenceItem } from './claims-result.ts';

/** What is read of a source to name it. */
type SourceFacts = Pick<EvidenceItem, 'publisher' | 'url' | 'credibility_score' | 'provenance'>;

/**
 * How a source is named to readers. A page says itself who publishes it: where its site is not rated, and no operator imported it, the site
 * stands beside that name, so that a stranger's page is not read as the agency that it calls itself.
 */
export function sourceName({ publisher, url, credibility_score, provenance }: SourceFacts): string {
  if (!/^https?:/.test(url)) return publisher ?? '';
  const site = siteOf(url);
  if (!publisher) return site;
  const isKnown = credibility_score !== null || provenance?.extraction_method === 'index';
  return isKnown || publisher.toLowerCase().includes(site) ? publisher : `${publisher} (${site})`;
}
