import { randomUUID } from 'node:crypto';
import { fairQueueKey } from '../../foundation/caller-share.ts';
import { backendOf, modelsOf } from '../../foundation/model-service/backends.ts';
import type { Handlers } from '../../foundation/service.ts';
import type { RerankBackend } from './backends/backend.ts';
import type { RerankModel, RerankRequest, RerankResponse, RerankResult, reranking } from './contract.ts';
import { documentTexts } from './documents.ts';
import { errors } from './errors.ts';

/** What the routes work with: the backends in the order in which they are asked for a model. */
export interface RerankingDependencies {
  readonly backends: readonly RerankBackend[];
}

/** Documents that one search pays for in the convention of Cohere. */
const DOCUMENTS_OF_A_SEARCH = 100;

/** The name of the model that is asked for; that of the first of all when none is named. */
const wantedOf = async (backends: readonly RerankBackend[], { model }: RerankRequest) =>
  model ?? (await backends[0]?.models())?.[0]?.id ?? '';

/** The best documents, the most relevant first; equal ones in the order in which they came. */
function resultsOf(body: RerankRequest, scores: readonly number[]): RerankResult[] {
  return scores
    .map((score, index) => ({ index, relevance_score: score }))
    .sort((one, two) => two.relevance_score - one.relevance_score || one.index - two.index)
    .slice(0, body.top_n ?? scores.length)
    .map((result) => {
      if (body.return_documents !== true) return result;
      const document = body.documents[result.index] ?? '';
      return { ...result, document: typeof document === 'string' ? { text: document } : document };
    });
}

/** Handlers of the reranking service. */
export function rerankingRoutes({ backends }: RerankingDependencies): Handlers<typeof reranking.operations> {
  const rerank = async (
    body: RerankRequest,
    version: '1' | '2',
    caller: string,
    signal: AbortSignal,
  ): Promise<RerankResponse> => {
    const documents = documentTexts(body);
    const { backend, model } = await backendOf<RerankModel, RerankBackend>(
      backends,
      await wantedOf(backends, body),
      errors,
    );
    const { scores, tokens } = await backend.rerank({
      model: model.id,
      query: body.query,
      documents,
      mostPassages: body.max_chunks_per_doc ?? undefined,
      caller,
      signal,
    });
    return {
      id: randomUUID(),
      model: model.id,
      results: resultsOf(body, scores),
      meta: {
        api_version: { version },
        billed_units: { search_units: Math.ceil(documents.length / DOCUMENTS_OF_A_SEARCH) },
        tokens: { input_tokens: tokens },
      },
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    };
  };
  return {
    rerank: ({ body, headers }, call) => rerank(body, '1', fairQueueKey(headers, call), call.signal),
    rerankV2: ({ body, headers }, call) => rerank(body, '2', fairQueueKey(headers, call), call.signal),
    models: async () => ({ object: 'list', data: await modelsOf(backends) }),
    backends: () => ({ backends: backends.map(({ name }) => name) }),
  };
}
