import { z } from 'zod';
import {
  type ListedModel,
  openModelUpstream,
  type UpstreamOptions,
  upstreamBackend,
  upstreamModel,
} from '../../../foundation/model-service/upstream.ts';
import type { EmbeddingModel } from '../contract.ts';
import { errors } from '../errors.ts';
import { fromBase64 } from '../vectors.ts';
import type { EmbeddingsBackend } from './backend.ts';

/** Largest answer: 2048 vectors of 4096 numbers as text. */
const ANSWER_BYTES = 256 * 1024 * 1024;

const vectorList = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.union([z.array(z.number()), z.string()]) })),
  usage: z.object({ total_tokens: z.number().nullish(), prompt_tokens: z.number().nullish() }).nullish(),
});

const describe = (model: ListedModel): EmbeddingModel => ({
  ...upstreamModel(model),
  loaded: null,
  dimensions: null,
  languages: null,
});

/** A server that offers /embeddings and /models below its root. */
export function createUpstreamBackend(options: UpstreamOptions): EmbeddingsBackend {
  const upstream = openModelUpstream(options, {
    name: 'embeddings upstream',
    answerBytes: ANSWER_BYTES,
    errors,
  });
  return {
    ...upstreamBackend(upstream, describe, { modelList: true }),
    embed: async ({ model, inputs, dimensions, signal }) => {
      const body = {
        model,
        input: inputs,
        encoding_format: 'float',
        ...(dimensions !== undefined && { dimensions }),
      };
      const { data, usage } = await upstream.post('/embeddings', body, vectorList, signal);
      const rows = data.toSorted((one, two) => one.index - two.index);
      const complete = rows.length === inputs.length && rows.every(({ index }, place) => index === place);
      if (!complete) throw upstream.unusable('the answer lacks vectors');
      return {
        vectors: rows.map(({ embedding }) =>
          typeof embedding === 'string' ? fromBase64(embedding) : Float32Array.from(embedding),
        ),
        tokens: usage?.total_tokens ?? usage?.prompt_tokens ?? 0,
      };
    },
  };
}
