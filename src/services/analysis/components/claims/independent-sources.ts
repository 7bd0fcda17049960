import { siteOf } from '../../../../foundation/http/web-address.ts';

/** Where a piece of evidence comes from. */
interface EvidenceOrigin {
  readonly url: string;
  readonly publisher: string | null;
  /** Pages with most of its text. */
  readonly copies?: readonly { readonly url: string }[];
}

/** One key for each source, equal for sources that are not independent: same site, same publisher, or copies of one text. */
export function independentSourcesOf(sources: readonly EvidenceOrigin[]): string[] {
  const byName = new Map<string, string>();
  return sources.map(({ url, publisher, copies = [] }) => {
    const site = siteOf(url);
    const keys = [
      `site:${site}`,
      ...[url, ...copies.map((copy) => copy.url)].map((page) => `page:${page}`),
      ...(publisher ? [`publisher:${publisher.normalize('NFC').trim().toLowerCase()}`] : []),
    ];
    const voice = keys.map((key) => byName.get(key)).find((known) => known !== undefined) ?? site;
    for (const key of keys) byName.set(key, voice);
    return voice;
  });
}
