import { fairQueueKey } from '../../foundation/caller-share.ts';
import { backendOf, modelsOf } from '../../foundation/model-service/backends.ts';
import type { Handlers } from '../../foundation/service.ts';
import type { EmbeddingInput, EmbeddingsBackend } from './backends/backend.ts';
import type { EmbeddingModel, EmbeddingsRequest, embeddings } from './contract.ts';
import { errors } from './errors.ts';
import { toBase64, toNumbers, truncateVector } from './vectors.ts';

/** What the routes work with: the backends in the order in which they are asked for a model. */
export interface EmbeddingsDependencies {
  readonly backends: readonly EmbeddingsBackend[];
}

const isTokens = (input: EmbeddingsRequest['input']): input is number[] => typeof input[0] === 'number';

/** One text or one list of tokens is a list of one. */
function inputsOf({ input }: EmbeddingsRequest): readonly EmbeddingInput[] {
  if (typeof input === 'string') return [input];
  return isTokens(input) ? [input] : input;
}

/** Cuts the vectors to the dimensions that were asked for; more than there are is a mistake of the caller. */
function cut(vectors: readonly Float32Array[], dimensions: number | undefined): readonly Float32Array[] {
  const own = vectors[0]?.length ?? 0;
  if (dimensions === undefined || dimensions === own) return vectors;
  if (dimensions > own) {
    const message = `must be at most ${own}, the dimensions of the model`;
    const detail = { path: ['body', 'dimensions'], message, type: 'less_than_equal', input: dimensions };
    throw errors.validation_failed({ details: [detail] });
  }
  return vectors.map((vector) => truncateVector(vector, dimensions));
}

/** Handlers of the embeddings service. */
export function embeddingsRoutes({
  backends,
}: EmbeddingsDependencies): Handlers<typeof embeddings.operations> {
  return {
    embed: async ({ body, headers }, call) => {
      const { backend, model } = await backendOf<EmbeddingModel, EmbeddingsBackend>(
        backends,
        body.model,
        errors,
      );
      const dimensions = body.dimensions ?? undefined;
      if (model.dimensions !== null) cut([new Float32Array(model.dimensions)], dimensions);
      const { vectors, tokens } = await backend.embed({
        model: model.id,
        inputs: inputsOf(body),
        language: body.language ?? undefined,
        dimensions,
        caller: fairQueueKey(headers, call),
        signal: call.signal,
      });
      const write = body.encoding_format === 'base64' ? toBase64 : toNumbers;
      return {
        object: 'list',
        data: cut(vectors, dimensions).map((vector, index) => ({
          object: 'embedding',
          index,
          embedding: write(vector),
        })),
        model: model.id,
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      };
    },
    models: async () => ({ object: 'list', data: await modelsOf(backends) }),
    backends: () => ({ backends: backends.map(({ name }) => name) }),
  };
}
