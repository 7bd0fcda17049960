import type { OnnxModel } from '../../../foundation/onnx/model-folder.ts';
import type { OnnxModels } from '../../../foundation/onnx/onnx.ts';
import type { EmbeddingModel } from '../contract.ts';
import { errors } from '../errors.ts';
import type { EmbeddingResult, EmbeddingsBackend, EmbeddingTask } from './backend.ts';
import { checkTokens, createEmbedder, type EmbedderLimits, type Encode } from './embedder.ts';

/** One thread a model: the runtime divides the work itself. */
const THREADS = 1;

/** Sentence encoders of the operator: ONNX models below LIMPEDE_HOME. */
export function createOnnxBackend(models: OnnxModels, limits: EmbedderLimits): EmbeddingsBackend {
  const embedders = new Map<string, (task: EmbeddingTask) => Promise<EmbeddingResult>>();
  const embedderOf = (model: OnnxModel) => {
    const known = embedders.get(model.id);
    if (known !== undefined) return known;
    const encode: Encode = async (inputs) => {
      const result = await models.run(model, { kind: 'embed', inputs }).catch((cause: unknown) => {
        throw errors.backend_failed({ message: `The model ${model.id} could not be run.`, cause });
      });
      return result.kind === 'vectors' ? result.inputs : [];
    };
    const embedder = createEmbedder(limits, encode, THREADS);
    embedders.set(model.id, embedder);
    return embedder;
  };
  const describe = ({ id, created, dimensions }: OnnxModel): EmbeddingModel => ({
    id,
    object: 'model',
    created,
    owned_by: 'operator',
    backend: 'onnx',
    loaded: models.isLoaded(id),
    dimensions,
    languages: null,
  });
  return {
    name: 'onnx',
    models: async () => (await models.list()).map(describe),
    find: async (id) => {
      const model = await models.find(id);
      return model === undefined ? undefined : describe(model);
    },
    embed: async (task) => {
      const model = await models.find(task.model);
      if (model === undefined) throw errors.model_not_found();
      if (model.vocabulary !== null) checkTokens(task.inputs, model.id, model.vocabulary);
      return embedderOf(model)(task);
    },
    probe: async () => {
      const problem = await models.problem();
      if (problem !== undefined) throw new Error(problem);
    },
    close: () => models.close(),
  };
}
