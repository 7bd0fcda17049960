import { pageKey } from '../search/canonical-url.ts';
import { RANK_CONSTANT } from '../search/merge.ts';
import type { Angle } from '../search/provider.ts';
import type { SearchOutcome } from '../search/search.ts';
import type { Candidate } from './source.ts';

/**
 * What a place in the list of a query counts beside the same place in that of a whole sentence. Of ten candidates the first eight of the
 * sentence keep their places, unless several queries agree on others: key words find less that bears on a claim.
 */
const OTHER_ANGLE = 0.89;
const WHOLE: ReadonlySet<Angle> = new Set<Angle>(['given', 'sentence', 'translation']);

/** The candidates of all queries by the sum of reciprocal ranks, each page once, as many as were asked for. */
export function candidatesOf(lists: SearchOutcome['lists'], most: number): Candidate[] {
  const candidates = new Map<string, Candidate & { score: number; best: number }>();
  for (const { query, angle, pages } of lists) {
    const weight = WHOLE.has(angle) ? 1 : OTHER_ANGLE;
    for (const [rank, page] of pages.entries()) {
      const score = weight / (RANK_CONSTANT + rank + 1);
      // A document may answer with its own text and as the review of a claim: these are two findings.
      const key = `${pageKey(page.url)} ${page.document?.review?.claim_key ?? ''}`;
      const known = candidates.get(key) ?? { page, query, score: 0, best: 0 };
      const named = score > known.best ? { page, query, best: score } : known;
      candidates.set(key, { ...named, score: known.score + score });
    }
  }
  return [...candidates.values()]
    .toSorted((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ page, query }) => ({ page, query }));
}
