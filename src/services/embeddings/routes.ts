import { ANONYMOUS } from '../../foundation/bearer-tokens.ts';
import type { Handlers } from '../../foundation/service.ts';
import type { EmbeddingInput, EmbeddingsBackend } from './backends/backend.ts';
import type { EmbeddingModel, EmbeddingsRequest, embeddings } from './contract.ts';
import { errors } from './errors.ts';
import { shorten, toBase64, toNumbers } from './vectors.ts';

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

async function backendOf(backends: readonly EmbeddingsBackend[], model: string) {
  for (const backend of backends) {
    const found = await backend.find(model);
    if (found !== undefined) return { backend, model: found };
  }
  const known = (await modelsOf(backends)).map(({ id }) => id).join(', ');
  throw errors.model_not_found({ message: `There is no model of this name; there are: ${known}.` });
}

/** The models of all backends; of two with one name, that of the earlier backend. */
async function modelsOf(backends: readonly EmbeddingsBackend[]): Promise<EmbeddingModel[]> {
  const lists = await Promise.all(backends.map((backend) => backend.models()));
  const byId = new Map<string, EmbeddingModel>();
  for (const model of lists.flat()) if (!byId.has(model.id)) byId.set(model.id, model);
  return [...byId.values()];
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
  return vectors.map((vector) => shorten(vector, dimensions));
}

/** Handlers of the embeddings service. */
export function embeddingsRoutes({
  backends,
}: EmbeddingsDependencies): Handlers<typeof embeddings.operations> {
  return {
    embed: async ({ body }, call) => {
      const { backend, model } = await backendOf(backends, body.model);
      const dimensions = body.dimensions ?? undefined;
      if (model.dimensions !== null) cut([new Float32Array(model.dimensions)], dimensions);
      const { vectors, tokens } = await backend.embed({
        model: model.id,
        inputs: inputsOf(body),
        language: body.language ?? undefined,
        dimensions,
        caller: call.caller?.subject ?? ANONYMOUS,
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
