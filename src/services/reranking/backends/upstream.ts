import { z } from 'zod';
import { createVendorClient, type VendorLoss } from '../../../foundation/vendor-client.ts';
import type { RerankModel } from '../contract.ts';
import { errors } from '../errors.ts';
import type { RerankBackend } from './backend.ts';

/** What the scores of a server are: probabilities, or log-odds of any size. */
export type ScoreScale = 'probability' | 'logit';

/** Where a reranking server is, how long it may take (read at each call), and what it answers. */
export interface UpstreamOptions {
  readonly url: string;
  readonly key: string | undefined;
  readonly timeoutMs: number;
  readonly scale: ScoreScale;
}

/** Largest answer: a thousand results that carry their documents although nobody asked. */
const ANSWER_BYTES = 64 * 1024 * 1024;
const PROBE_MS = 2_000;

const modelList = z.object({
  data: z.array(
    z.looseObject({ id: z.string(), created: z.number().nullish(), owned_by: z.string().nullish() }),
  ),
});
const count = z.number().min(0).nullish();
const ranking = z.object({
  results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })),
  usage: z.object({ total_tokens: count, prompt_tokens: count }).nullish(),
  meta: z.object({ tokens: z.object({ input_tokens: count }).nullish() }).nullish(),
});

/** The failure of this service for what an upstream server did. */
function failureOf({ reason, message, status, retryAfterMs }: VendorLoss) {
  const headers = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  if (reason === 'rate_limited') return errors.upstream_rate_limited({ message, headers });
  if (reason === 'refused') {
    if (status === 404) return errors.model_not_found();
    // Its key is our affair, not the caller's.
    return status === 401 || status === 403
      ? errors.backend_failed({ message })
      : errors.request_refused({ message });
  }
  return reason === 'invalid_answer'
    ? errors.backend_failed({ message })
    : errors.backend_unavailable({ message });
}

function unusable(what: string) {
  return errors.backend_failed({ message: `reranking upstream: ${what}` });
}

/** The score of every document in their order, 0 to 1. */
function scoresOf(
  results: z.infer<typeof ranking>['results'],
  documents: number,
  scale: ScoreScale,
): number[] {
  const byIndex = new Map(results.map(({ index, relevance_score: score }) => [index, score]));
  return Array.from({ length: documents }, (_, index) => {
    const score = byIndex.get(index);
    if (score === undefined) throw unusable('the answer lacks documents');
    if (scale === 'logit') return 1 / (1 + Math.exp(-score));
    if (score < 0 || score > 1)
      throw unusable('its scores are not between 0 and 1; see RERANKING_UPSTREAM_SCORES');
    return score;
  });
}

/** A server that offers /rerank and /models below its root, in the convention of Cohere and Jina. */
export function createUpstreamBackend(options: UpstreamOptions): RerankBackend {
  const { url, key, scale } = options;
  const client = createVendorClient({
    name: 'reranking upstream',
    baseUrl: url,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    timeoutMs: options.timeoutMs,
    answerBytes: ANSWER_BYTES,
  });
  const describe = (id: string, created = 0, owner = 'upstream'): RerankModel => ({
    id,
    object: 'model',
    created,
    owned_by: owner,
    backend: 'upstream',
    loaded: null,
    languages: null,
  });
  const list = (signal?: AbortSignal) =>
    client.getJson('/models', modelList, { signal, timeoutMs: PROBE_MS });
  return {
    name: 'upstream',
    models: async (signal) => {
      const answer = await list(signal);
      if (!answer.ok) return [];
      return answer.value.data.map(({ id, created, owned_by: owner }) =>
        describe(id, Math.trunc(created ?? 0), owner ?? undefined),
      );
    },
    // It knows its models better than any list.
    find: async (model) => describe(model),
    rerank: async ({ model, query, documents, mostPassages, signal }) => {
      const body = {
        model,
        query,
        documents,
        top_n: documents.length,
        return_documents: false,
        ...(mostPassages !== undefined && { max_chunks_per_doc: mostPassages }),
      };
      const answer = await client.postJson('/rerank', body, ranking, {
        signal,
        timeoutMs: options.timeoutMs,
      });
      if (!answer.ok) throw failureOf(answer);
      const { results, usage, meta } = answer.value;
      const tokens = usage?.total_tokens ?? usage?.prompt_tokens ?? meta?.tokens?.input_tokens ?? 0;
      return { scores: scoresOf(results, documents.length, scale), tokens: Math.trunc(tokens) };
    },
    probe: async (signal) => {
      const answer = await list(signal);
      // Some servers of this convention have no list of models; that they answer is enough.
      if (!answer.ok && answer.status !== 404) throw new Error(answer.message);
    },
    close: () => client.close(),
  };
}
