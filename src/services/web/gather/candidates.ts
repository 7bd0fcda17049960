import { pageKey } from '../search/canonical-url.ts';
import { RANK_CONSTANT } from '../search/merge.ts';
import type { Angle } from '../search/provider.ts';
import type { SearchOutcome } from '../search/search.ts';
import type { Candidate } from './source.ts';

/**
 * What a place in the list of a query counts beside the same place in that of a whole sentence: the first eight pages that a sentence finds
 * stand before those that only key words find, which bear on the claim less often.
 */
const OTHER_ANGLE = 0.89;
const WHOLE: ReadonlySet<Angle> = new Set<Angle>(['given', 'sentence', 'translation']);

interface Ranked extends Candidate {
  /** Sum over whole sentences, and the best of other angles. That key words find what their sentence found is no second opinion. */
  readonly whole: number;
  readonly other: number;
  /** The score in the list that ranked it best, whose query is named. */
  readonly best: number;
}

/** The candidates of all queries by reciprocal ranks, each page once, as many as were asked for. */
export function candidatesOf(lists: SearchOutcome['lists'], most: number): Candidate[] {
  const candidates = new Map<string, Ranked>();
  for (const { query, angle, pages } of lists) {
    const isWhole = WHOLE.has(angle);
    for (const [rank, page] of pages.entries()) {
      const score = (isWhole ? 1 : OTHER_ANGLE) / (RANK_CONSTANT + rank + 1);
      // A document may answer with its own text and as the review of a claim: these are two findings.
      const key = `${pageKey(page.url)} ${page.document?.review?.claim_key ?? ''}`;
      const known = candidates.get(key) ?? { page, query, whole: 0, other: 0, best: 0 };
      candidates.set(key, {
        ...(score > known.best ? { page, query, best: score } : known),
        whole: known.whole + (isWhole ? score : 0),
        other: isWhole ? known.other : Math.max(known.other, score),
      });
    }
  }
  const scoreOf = ({ whole, other }: Ranked) => (whole > 0 ? whole : other);
  return [...candidates.values()]
    .toSorted((one, two) => scoreOf(two) - scoreOf(one))
    .slice(0, most)
    .map(({ page, query }) => ({ page, query }));
}
