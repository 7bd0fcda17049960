import {
  createModelQueue,
  type ModelQueueLimits,
  type RunQueued,
} from '../../../foundation/model-service/model-queue.ts';
import { ONNX_THREADS, onnxBackend } from '../../../foundation/model-service/onnx-backend.ts';
import type { OnnxModels } from '../../../foundation/onnx/onnx.ts';
import type { RerankModel } from '../contract.ts';
import { errors } from '../errors.ts';
import type { RerankBackend } from './backend.ts';
import { readDocuments } from './document-parts.ts';

/** Cross-encoders of the operator: ONNX models below LIMPEDE_HOME that read a query and a passage together. */
export function createOnnxBackend(models: OnnxModels, limits: ModelQueueLimits): RerankBackend {
  const { open, run, ...backend } = onnxBackend(models, errors, (entry): RerankModel => entry);
  const queues = new Map<string, RunQueued>();
  const queueOf = (id: string): RunQueued => {
    const own = queues.get(id) ?? createModelQueue(limits, errors, ONNX_THREADS);
    queues.set(id, own);
    return own;
  };
  return {
    ...backend,
    rerank: async (task) => {
      const model = await open(task.model);
      const { query } = task;
      const { documents, tokens } = await readDocuments(task, (parts) =>
        queueOf(model.id)(task, async () => {
          const result = await run(model, { kind: 'score', query, parts });
          return result.kind === 'scores' ? result.parts : [];
        }),
      );
      return { scores: documents.map((passages) => Math.max(0, ...passages)), tokens };
    },
  };
}
