import { callerShareHeaders } from '../../../foundation/caller-share.ts';
import type { Client, LossReason } from '../../../foundation/client.ts';
import { roundTo } from '../../../foundation/numbers.ts';
import type { reranking } from '../../reranking/contract.ts';
import { isRelevant, type RankedSource } from './relevance.ts';

/** The part of the reranking service that gathering calls. */
type RerankingClient = Pick<Client<typeof reranking>, 'rerank'>;

/** How relevant passages are for a claim, 0 to 1, in their order; why not, where the service is lost. `share` names the user on whose behalf. */
export type Rerank = (
  claim: string,
  passages: readonly string[],
  signal: AbortSignal,
  share?: string,
) => Promise<readonly number[] | { readonly lost: LossReason }>;

/** Passages of one request. */
const MOST_PASSAGES = 500;

/** Asks the reranking service; undefined when it is switched off. */
export function createRerank(client: RerankingClient | undefined): Rerank | undefined {
  if (client === undefined) return undefined;
  return async (claim, passages, signal, share) => {
    if (passages.length === 0) return [];
    const documents = passages.slice(0, MOST_PASSAGES);
    let reason: LossReason = 'unavailable';
    const answer = await client.rerank(
      // A passage is a few sentences: read as a whole.
      {
        headers: callerShareHeaders(share),
        body: { query: claim, documents: [...documents], max_chunks_per_doc: 4 },
      },
      {
        signal,
        lost: (loss) => {
          reason = loss.reason;
        },
        refused: ({ status }) => {
          reason = status === 429 ? 'rate_limited' : 'invalid_answer';
        },
      },
    );
    if (answer === undefined) return { lost: reason };
    const scores = new Map(answer.results.map(({ index, relevance_score: score }) => [index, score]));
    // An answer without a word on some passage says nothing that can be compared.
    const inOrder = documents.map((_, index) => scores.get(index));
    if (inOrder.some((score) => score === undefined)) return { lost: 'invalid_answer' };
    return inOrder.map((score) => score ?? 0);
  };
}

const rounded = (score: number) => roundTo(score, 3);

/** Sources in the order of both judgements, and whether the service gave its own. */
interface Reranked {
  readonly sources: RankedSource[];
  readonly passages: number;
  readonly succeeded: boolean;
}

/**
 * Ranks by the mean of both scores: that of gathering, and that of the service. What both together find beside the claim is
 * left out. A service that is lost leaves the order as it is. A review is read as the claim that it reviews: its page may not repeat it.
 */
export async function rerankSources(
  claim: string,
  sources: readonly RankedSource[],
  rerank: Rerank,
  signal: AbortSignal,
): Promise<Reranked> {
  const textsOf = ({ source, passages }: RankedSource) => [
    ...passages.map(({ text }) => text),
    ...(source.review === null ? [] : [source.review.claim]),
  ];
  const texts = [...new Set(sources.flatMap(textsOf))].slice(0, MOST_PASSAGES);
  const reranked = await rerank(claim, texts, signal).catch(() => ({ lost: 'unavailable' as const }));
  if ('lost' in reranked) return { sources: [...sources], passages: texts.length, succeeded: false };
  const scoreOf = new Map(texts.map((text, index) => [text, reranked[index] ?? 0]));
  const judged = sources.map((one): RankedSource => {
    const asReview = one.source.review === null ? 0 : (scoreOf.get(one.source.review.claim) ?? 0);
    const passages = one.passages
      .map(({ text, score }, index) => {
        const own = Math.max(scoreOf.get(text) ?? 0, index === 0 ? asReview : 0);
        return { text, score: rounded((score + own) / 2) };
      })
      .toSorted((first, second) => second.score - first.score);
    return { source: one.source, passages };
  });
  const best = ({ passages }: RankedSource) => passages[0]?.score ?? 0;
  return {
    sources: judged.filter(isRelevant).toSorted((one, other) => best(other) - best(one)),
    passages: texts.length,
    succeeded: true,
  };
}
