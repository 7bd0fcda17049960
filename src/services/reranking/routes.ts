import { randomUUID } from 'node:crypto';
import { ANONYMOUS } from '../../foundation/bearer-tokens.ts';
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

/** The models of all backends; of two with one name, that of the earlier backend. */
async function modelsOf(backends: readonly RerankBackend[]): Promise<RerankModel[]> {
  const lists = await Promise.all(backends.map((backend) => backend.models()));
  const byId = new Map<string, RerankModel>();
  for (const model of lists.flat()) if (!byId.has(model.id)) byId.set(model.id, model);
  return [...byId.values()];
}

async function backendOf(backends: readonly RerankBackend[], name: string | null | undefined) {
  const wanted = name ?? (await backends[0]?.models())?.[0]?.id ?? '';
  for (const backend of backends) {
    const found = await backend.find(wanted);
    if (found !== undefined) return { backend, model: found };
  }
  const known = (await modelsOf(backends)).map(({ id }) => id).join(', ');
  throw errors.model_not_found({ message: `There is no model of this name; there are: ${known}.` });
}

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
    const { backend, model } = await backendOf(backends, body.model);
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
    rerank: ({ body }, call) => rerank(body, '1', call.caller?.subject ?? ANONYMOUS, call.signal),
    rerankV2: ({ body }, call) => rerank(body, '2', call.caller?.subject ?? ANONYMOUS, call.signal),
    models: async () => ({ object: 'list', data: await modelsOf(backends) }),
    backends: () => ({ backends: backends.map(({ name }) => name) }),
  };
}
