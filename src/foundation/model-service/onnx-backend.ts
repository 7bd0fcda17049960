import type { OnnxResult, OnnxTask } from '../onnx/messages.ts';
import type { OnnxModel } from '../onnx/model-folder.ts';
import type { OnnxModels } from '../onnx/onnx.ts';
import type { ModelBackend } from './backends.ts';
import type { ModelServiceFailures } from './errors.ts';

/** Threads of each model that take tasks: the runtime divides the work of one by itself. */
export const ONNX_THREADS = 1;

/** A backend over ONNX models of the operator, without what its models do. */
interface OnnxModelBackend<Model extends { readonly id: string }> extends ModelBackend<Model> {
  /** The model of a task; throws `model_not_found`. */
  open(id: string): Promise<OnnxModel>;
  /** Runs a task; throws `backend_failed`. */
  run(model: OnnxModel, task: OnnxTask): Promise<OnnxResult>;
}

/** What lists of models say of every ONNX model. */
const entryOf = ({ id, created }: OnnxModel, loaded: boolean) =>
  ({ id, object: 'model', created, owned_by: 'operator', backend: 'onnx', loaded, languages: null }) as const;

/** The part of a backend over ONNX models that is the same whatever its models do. */
export function onnxBackend<Model extends { readonly id: string }>(
  models: OnnxModels,
  errors: Pick<ModelServiceFailures, 'backend_failed' | 'model_not_found'>,
  describe: (entry: ReturnType<typeof entryOf>, model: OnnxModel) => Model,
): OnnxModelBackend<Model> {
  const describeModel = (model: OnnxModel) => describe(entryOf(model, models.isLoaded(model.id)), model);
  return {
    name: 'onnx',
    models: async () => (await models.list()).map(describeModel),
    find: async (id) => {
      const model = await models.find(id);
      return model === undefined ? undefined : describeModel(model);
    },
    open: async (id) => {
      const model = await models.find(id);
      if (model === undefined) throw errors.model_not_found();
      return model;
    },
    run: (model, task) =>
      models.run(model, task).catch((cause: unknown) => {
        throw errors.backend_failed({ message: `The model ${model.id} could not be run.`, cause });
      }),
    probe: async () => {
      const problem = await models.problem();
      if (problem !== undefined) throw new Error(problem);
    },
    close: () => models.close(),
  };
}
