import {
  createModelQueue,
  type ModelQueueLimits,
  type RunQueued,
} from '../../../foundation/model-service/model-queue.ts';
import type { OnnxModel } from '../../../foundation/onnx/model-folder.ts';
import type { OnnxModels } from '../../../foundation/onnx/onnx.ts';
import type { RerankModel } from '../contract.ts';
import { errors } from '../errors.ts';
import type { RerankBackend } from './backend.ts';
import { readDocuments } from './document-parts.ts';

/** One thread a model: the runtime divides the work itself. */
const THREADS = 1;

/** Cross-encoders of the operator: ONNX models below LIMPEDE_HOME that read a query and a passage together. */
export function createOnnxBackend(models: OnnxModels, limits: ModelQueueLimits): RerankBackend {
  const queues = new Map<string, RunQueued>();
  const turnsOf = (id: string): RunQueued => {
    const own = queues.get(id) ?? createModelQueue(limits, errors, THREADS);
    queues.set(id, own);
    return own;
  };
  const describe = ({ id, created }: OnnxModel): RerankModel => ({
    id,
    object: 'model',
    created,
    owned_by: 'operator',
    backend: 'onnx',
    loaded: models.isLoaded(id),
    languages: null,
  });
  return {
    name: 'onnx',
    models: async () => (await models.list()).map(describe),
    find: async (id) => {
      const model = await models.find(id);
      return model === undefined ? undefined : describe(model);
    },
    rerank: async (task) => {
      const model = await models.find(task.model);
      if (model === undefined) throw errors.model_not_found();
      const { query } = task;
      const { documents, tokens } = await readDocuments(task, (parts) =>
        turnsOf(model.id)(task, async () => {
          const result = await models.run(model, { kind: 'score', query, parts }).catch((cause: unknown) => {
            throw errors.backend_failed({ message: `The model ${model.id} could not be run.`, cause });
          });
          return result.kind === 'scores' ? result.parts : [];
        }),
      );
      return { scores: documents.map((passages) => Math.max(0, ...passages)), tokens };
    },
    probe: async () => {
      const problem = await models.problem();
      if (problem !== undefined) throw new Error(problem);
    },
    close: () => models.close(),
  };
}
