/** Candidates of a query: how well each answers it, and how it was scored. */
export interface Ranked {
  readonly relevance: readonly number[];
  readonly scores: readonly number[];
}

const DEPTH = 10;

function inOrder({ relevance, scores }: Ranked): number[] {
  return scores
    .map((score, index) => ({ score, relevance: relevance[index] ?? 0 }))
    .sort((one, two) => two.score - one.score)
    .map((row) => row.relevance);
}

const gain = (relevance: readonly number[]) =>
  relevance.slice(0, DEPTH).reduce((sum, value, rank) => sum + value / Math.log2(rank + 2), 0);

/** nDCG@10: what the first ten bring, as a share of what the best order would. */
export function normalizedGain(ranked: Ranked): number {
  const best = gain(ranked.relevance.toSorted((one, two) => two - one));
  return best > 0 ? gain(inOrder(ranked)) / best : 0;
}

/** One by the rank of the first candidate that answers. */
export function reciprocalRank(ranked: Ranked): number {
  const place = inOrder(ranked).findIndex((relevance) => relevance > 0);
  return place < 0 ? 0 : 1 / (place + 1);
}
