import { z } from 'zod';
import {
  type ListedModel,
  type ModelUpstream,
  openModelUpstream,
  type UpstreamOptions,
  upstreamBackend,
  upstreamModel,
} from '../../../foundation/model-service/upstream.ts';
import { sigmoid } from '../../../text/logistic.ts';
import type { RerankModel } from '../contract.ts';
import { errors } from '../errors.ts';
import type { RerankBackend } from './backend.ts';

/** What the scores of a server are: probabilities, or log-odds of any size. */
export type ScoreScale = 'probability' | 'logit';

/** Largest answer: a thousand results that carry their documents although not asked to. */
const ANSWER_BYTES = 64 * 1024 * 1024;

const count = z.number().min(0).nullish();
const ranking = z.object({
  results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })),
  usage: z.object({ total_tokens: count, prompt_tokens: count }).nullish(),
  meta: z.object({ tokens: z.object({ input_tokens: count }).nullish() }).nullish(),
});

const describe = (model: ListedModel): RerankModel => ({
  ...upstreamModel(model),
  loaded: null,
  languages: null,
});

/** The score of every document in their order, 0 to 1. */
function scoresOf(
  { unusable }: Pick<ModelUpstream, 'unusable'>,
  results: z.infer<typeof ranking>['results'],
  documents: number,
  scale: ScoreScale,
): number[] {
  const byIndex = new Map(results.map(({ index, relevance_score: score }) => [index, score]));
  return Array.from({ length: documents }, (_, index) => {
    const score = byIndex.get(index);
    if (score === undefined) throw unusable('the answer lacks documents');
    if (scale === 'logit') return sigmoid(score);
    if (score < 0 || score > 1)
      throw unusable('its scores are not between 0 and 1; see RERANKING_UPSTREAM_SCORES');
    return score;
  });
}

/** A server that offers /rerank and, if it likes, /models below its root, in the convention of Cohere and Jina. */
export function createUpstreamBackend(
  options: UpstreamOptions & { readonly scale: ScoreScale },
): RerankBackend {
  const upstream = openModelUpstream(options, {
    name: 'reranking upstream',
    answerBytes: ANSWER_BYTES,
    errors,
  });
  return {
    ...upstreamBackend(upstream, describe, { modelList: false }),
    rerank: async ({ model, query, documents, mostPassages, signal }) => {
      const body = {
        model,
        query,
        documents,
        top_n: documents.length,
        return_documents: false,
        ...(mostPassages !== undefined && { max_chunks_per_doc: mostPassages }),
      };
      const { results, usage, meta } = await upstream.post('/rerank', body, ranking, signal);
      const tokens = usage?.total_tokens ?? usage?.prompt_tokens ?? meta?.tokens?.input_tokens ?? 0;
      return {
        scores: scoresOf(upstream, results, documents.length, options.scale),
        tokens: Math.trunc(tokens),
      };
    },
  };
}
