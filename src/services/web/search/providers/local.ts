import type { IndexAccess } from '../../evidence-index/open-index.ts';
import type { PageHit, SearchProvider } from '../provider.ts';

/** Longest part of a passage that a result shows. */
const LONGEST_SNIPPET = 500;

/** The address of a document without one: it names the document, and cannot be fetched. */
const nameOf = (id: number) => `urn:limpede:evidence:${id}`;

/** The index of this installation; queries do not leave it. */
export function createLocalProvider(index: IndexAccess): SearchProvider {
  return {
    name: 'index',
    tier: 'local',
    heedsFreshness: false,
    // The index is searched by words and vectors of the whole claim; queries by fewer words would find less.
    angles: ['sentence', 'translation'],
    async search({ query, count, share }, signal) {
      const current = index.current();
      if (current === undefined) return { ok: false, reason: 'unavailable' };
      try {
        const hits = await current.search(query, count, signal, share);
        const pages = hits.map((hit): PageHit => {
          const { document, passages } = hit;
          const snippet = passages[0] ?? document.text;
          return {
            url: document.url ?? nameOf(document.id),
            title: document.title,
            snippet: snippet.slice(0, LONGEST_SNIPPET),
            published_at: document.published_at,
            document: hit,
          };
        });
        return { ok: true, items: pages };
      } catch {
        return { ok: false, reason: signal.aborted ? 'aborted' : 'unavailable' };
      }
    },
    probe: (signal) => index.probe(signal),
    close: async () => undefined,
  };
}
