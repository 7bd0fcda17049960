import { siteOf } from '../../../../foundation/http/web-address.ts';

/** Where a piece of evidence comes from. */
interface Voice {
  readonly url: string;
  readonly publisher: string | null;
  /** Pages with most of its text. */
  readonly copies?: readonly { readonly url: string }[];
}

/** A name for the voice of each source: pages of one site, of one publisher, or of one text have one between them. */
export function voicesOf(sources: readonly Voice[]): string[] {
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
