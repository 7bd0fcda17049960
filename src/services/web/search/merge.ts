import { isOnSite, pageKey } from './canonical-url.ts';
import { isWebAddress, type PageHit } from './provider.ts';

/** Smooths reciprocal ranks; the value in common use (Cormack et al. 2009). */
export const RANK_CONSTANT = 60;
const DAY_MS = 24 * 3600 * 1000;
const DAYS = { day: 1, week: 7, month: 31, year: 366 } as const;

/** What one provider found for one query, the best first. */
export interface RankedList {
  readonly provider: string;
  readonly heedsFreshness: boolean;
  readonly hits: readonly PageHit[];
}

/** A page that one or more providers found. */
export interface MergedPage extends PageHit {
  readonly providers: readonly string[];
}

/** Which pages a request wants. */
export interface PageFilter {
  readonly allow: readonly string[];
  readonly block: readonly string[];
  readonly freshness: 'day' | 'week' | 'month' | 'year' | null;
  /** Today, in milliseconds. */
  readonly now: number;
}

function isWanted(
  page: PageHit,
  heedsFreshness: boolean,
  { allow, block, freshness, now }: PageFilter,
): boolean {
  if (!isWebAddress(page.url) && page.document === undefined) return false;
  if (allow.length > 0 && !isOnSite(page.url, allow)) return false;
  if (isOnSite(page.url, block)) return false;
  if (freshness === null) return true;
  const time = Date.parse(page.published_at ?? '');
  // A page without a date is kept only when its provider filters by freshness itself.
  return Number.isNaN(time) ? heedsFreshness : now - time <= (DAYS[freshness] + 1) * DAY_MS;
}

/** The lists of several providers as one: by the sum of reciprocal ranks, each page once, without what is not wanted. */
export function mergeRanked(lists: readonly RankedList[], filter: PageFilter): MergedPage[] {
  const merged = new Map<string, { page: PageHit; providers: string[]; score: number }>();
  for (const { provider, heedsFreshness, hits } of lists) {
    const seen = new Set<string>();
    for (const [rank, page] of hits.entries()) {
      const key = pageKey(page.url);
      if (seen.has(key) || !isWanted(page, heedsFreshness, filter)) continue;
      seen.add(key);
      const score = 1 / (RANK_CONSTANT + rank + 1);
      const known = merged.get(key);
      if (known === undefined) merged.set(key, { page, providers: [provider], score });
      else {
        known.score += score;
        known.providers.push(provider);
        known.page = mergeHits(known.page, page);
      }
    }
  }
  return [...merged.values()]
    .sort((one, other) => other.score - one.score)
    .map(({ page, providers }) => ({ ...page, providers }));
}

/** Merges two hits of one page; a document of the local index is kept with its text. */
function mergeHits(one: PageHit, other: PageHit): PageHit {
  const document = one.document ?? other.document;
  return {
    ...one,
    snippet: one.snippet.length >= other.snippet.length ? one.snippet : other.snippet,
    published_at: one.published_at ?? other.published_at,
    ...(document !== undefined && { document }),
  };
}
