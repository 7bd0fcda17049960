import { z } from 'zod';
import { sigmoid } from '../../../../text/logistic.ts';
import type { PassageMatch, PreparedQuery } from './passage-matching.ts';

/** What ranking needs of a query. */
export type RankedQuery = Pick<PreparedQuery, 'language' | 'surprise'>;

const fusion = z.object({
  intercept: z.number(),
  lexical: z.number(),
  cosine: z.number(),
  product: z.number(),
});

/** The file models/reranker.json: a fusion for each pair of languages. */
export const rankingWeights = z.object({ en: fusion, ro: fusion, across: fusion });

/** How shared words and nearness of meaning become log-odds, for one pair of languages. */
export type Fusion = z.infer<typeof fusion>;

/** Fusions by pair of languages. */
export type RankingWeights = z.infer<typeof rankingWeights>;

/** The two scores of a passage. */
export interface PassageScores {
  /** BM25, as a share of what a passage would reach that is full of all words of the query: 0 to 1. */
  readonly lexical: number;
  readonly cosine: number;
}

/** The usual constants of BM25. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/** Passages of ordinary text that are imagined beside the candidates: a few of them cannot tell which words are rare. */
const IMAGINED_PASSAGES = 100;

/** Both scores of each passage, by document. */
export function passageScores(
  { surprise }: Pick<RankedQuery, 'surprise'>,
  documents: readonly (readonly PassageMatch[])[],
): PassageScores[][] {
  const all = documents.flat();
  const meanLength = Math.max(1, all.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all.length));
  const rarities = surprise.map((nats, word) => {
    let having = IMAGINED_PASSAGES * (1 - Math.exp(-meanLength * Math.exp(-nats)));
    for (const { counts } of all) if ((counts[word] ?? 0) > 0) having++;
    return Math.log(1 + (IMAGINED_PASSAGES + all.length - having + 0.5) / (having + 0.5));
  });
  const most = rarities.reduce((sum, rarity) => sum + rarity, 0);
  const lexicalOf = ({ counts, length }: PassageMatch) => {
    const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / meanLength);
    const sum = counts.reduce(
      (total, count, word) => total + ((rarities[word] ?? 0) * count) / (count + norm),
      0,
    );
    return most > 0 ? sum / most : 0;
  };
  return documents.map((passages) =>
    passages.map((passage) => ({ lexical: lexicalOf(passage), cosine: passage.cosine })),
  );
}

/** The fusion for a query and a passage. */
export function fusionOf(weights: RankingWeights, query: RankedQuery, passage: PassageMatch): Fusion {
  return query.language === passage.language ? weights[query.language] : weights.across;
}

/** Log-odds of a passage. */
export function fuse({ intercept, lexical, cosine, product }: Fusion, scores: PassageScores): number {
  return (
    intercept + lexical * scores.lexical + cosine * scores.cosine + product * scores.lexical * scores.cosine
  );
}

/** The relevance of each document, 0 to 1: that of its best passage. */
export function relevances(
  weights: RankingWeights,
  query: RankedQuery,
  documents: readonly (readonly PassageMatch[])[],
): number[] {
  const scores = passageScores(query, documents);
  return documents.map((passages, document) =>
    passages.reduce((best, passage, index) => {
      const own = scores[document]?.[index] ?? { lexical: 0, cosine: 0 };
      return Math.max(best, sigmoid(fuse(fusionOf(weights, query, passage), own)));
    }, 0),
  );
}
