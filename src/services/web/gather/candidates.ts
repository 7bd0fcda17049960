import { pageKey } from '../search/canonical-url.ts';
import { RANK_CONSTANT } from '../search/merge.ts';
import type { QueryAngle } from '../search/provider.ts';
import type { SearchOutcome } from '../search/search.ts';
import type { SourceCandidate } from './source.ts';

/**
 * Weight of ranks in lists of queries by key words, relative to queries by the whole sentence. With it the first eight pages of a sentence
 * stand before pages that only key words find, which are relevant less often.
 */
const PARTIAL_QUERY_WEIGHT = 0.89;
const WHOLE_CLAIM_ANGLES: ReadonlySet<QueryAngle> = new Set<QueryAngle>([
  'caller',
  'sentence',
  'translation',
]);

interface Ranked extends SourceCandidate {
  /** The sum over queries by whole sentences, and the best of other queries: key words that find the same page as their sentence add nothing. */
  readonly whole: number;
  readonly other: number;
  /** The score in the list that ranked it best, whose query is named. */
  readonly best: number;
}

/** Merges the pages of all queries by reciprocal rank, each page once, up to `most`. */
export function candidatesOf(lists: SearchOutcome['lists'], most: number): SourceCandidate[] {
  const candidates = new Map<string, Ranked>();
  for (const { query, angle, pages } of lists) {
    const isWholeClaim = WHOLE_CLAIM_ANGLES.has(angle);
    for (const [rank, page] of pages.entries()) {
      const score = (isWholeClaim ? 1 : PARTIAL_QUERY_WEIGHT) / (RANK_CONSTANT + rank + 1);
      // A document may answer with its own text and as the review of a claim: these are two findings.
      const key = `${pageKey(page.url)} ${page.document?.review?.claim_key ?? ''}`;
      const known = candidates.get(key) ?? { page, query, whole: 0, other: 0, best: 0 };
      candidates.set(key, {
        ...(score > known.best ? { page, query, best: score } : known),
        whole: known.whole + (isWholeClaim ? score : 0),
        other: isWholeClaim ? known.other : Math.max(known.other, score),
      });
    }
  }
  const scoreOf = ({ whole, other }: Ranked) => (whole > 0 ? whole : other);
  return [...candidates.values()]
    .toSorted((one, two) => scoreOf(two) - scoreOf(one))
    .slice(0, most)
    .map(({ page, query }) => ({ page, query }));
}
