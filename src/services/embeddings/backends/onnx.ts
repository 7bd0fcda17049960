import { ONNX_THREADS, onnxBackend } from '../../../foundation/model-service/onnx-backend.ts';
import type { OnnxModel } from '../../../foundation/onnx/model-folder.ts';
import type { OnnxModels } from '../../../foundation/onnx/onnx.ts';
import type { EmbeddingModel } from '../contract.ts';
import { errors } from '../errors.ts';
import type { EmbeddingResult, EmbeddingsBackend, EmbeddingTask } from './backend.ts';
import { checkTokens, createEmbedder, type EmbedderLimits, type Encode } from './embedder.ts';

/** Sentence encoders of the operator: ONNX models below LIMPEDE_HOME. */
export function createOnnxBackend(models: OnnxModels, limits: EmbedderLimits): EmbeddingsBackend {
  const { open, run, ...backend } = onnxBackend(
    models,
    errors,
    (entry, { dimensions }): EmbeddingModel => ({ ...entry, dimensions }),
  );
  const embedders = new Map<string, (task: EmbeddingTask) => Promise<EmbeddingResult>>();
  const embedderOf = (model: OnnxModel) => {
    const known = embedders.get(model.id);
    if (known !== undefined) return known;
    const encode: Encode = async (inputs) => {
      const result = await run(model, { kind: 'embed', inputs });
      return result.kind === 'vectors' ? result.inputs : [];
    };
    const embedder = createEmbedder(limits, encode, ONNX_THREADS);
    embedders.set(model.id, embedder);
    return embedder;
  };
  return {
    ...backend,
    embed: async (task) => {
      const model = await open(task.model);
      if (model.vocabulary !== null) checkTokens(task.inputs, model.id, model.vocabulary);
      return embedderOf(model)(task);
    },
  };
}
