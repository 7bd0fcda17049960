import { packageFile } from '../files.ts';
import { createLanes, type Lanes } from '../lanes.ts';
import type { OnnxResult, OnnxTask, OnnxWorkerOptions } from './messages.ts';
import { listOnnxModels, type OnnxKind, type OnnxModel } from './model-folder.ts';
import { isOnnxInstalled, onnxFolder } from './runtime.ts';

/** Where ONNX models of one kind lie, and how they are run. */
export interface OnnxOptions {
  /** Folder of folders, each with the files of a model. */
  readonly models: string;
  readonly kind: OnnxKind;
  /** Threads of the runtime for each model. */
  readonly threads: number;
  /** Where the runtime is installed; the usual place when absent. */
  readonly runtime?: string;
}

/** ONNX models of the operator. Each is loaded when it is first used, in a thread of its own, and stays until the end. */
export interface OnnxModels {
  /** The models that are there; none without the runtime. */
  list(): Promise<readonly OnnxModel[]>;
  find(id: string): Promise<OnnxModel | undefined>;
  isLoaded(id: string): boolean;
  /** Why models that are there cannot run; undefined when all can, or there are none. */
  problem(): Promise<string | undefined>;
  /** Runs a task by a model; callers see to it that no model has more than one at a time. */
  run(model: OnnxModel, task: OnnxTask): Promise<OnnxResult>;
  close(): Promise<void>;
}

/** Makes the door to the models of one kind. */
export function createOnnxModels({
  models: folder,
  kind,
  threads,
  runtime = onnxFolder(),
}: OnnxOptions): OnnxModels {
  const threadsOf = new Map<string, Lanes<OnnxTask, OnnxResult>>();
  const list = async () => (isOnnxInstalled(runtime) ? listOnnxModels(folder, kind) : []);

  const lanesOf = (model: OnnxModel): Lanes<OnnxTask, OnnxResult> => {
    const known = threadsOf.get(model.id);
    if (known !== undefined) return known;
    const given: OnnxWorkerOptions = { model, runtime, threads };
    const lanes = createLanes<true, OnnxTask, OnnxResult>(packageFile('dist', 'onnx-worker.js'), 1, given);
    threadsOf.set(model.id, lanes);
    return lanes;
  };
  return {
    list,
    find: async (id) => (await list()).find((model) => model.id === id),
    isLoaded: (id) => threadsOf.get(id)?.loaded() ?? false,
    problem: async () => {
      if (isOnnxInstalled(runtime)) return undefined;
      const names = (await listOnnxModels(folder, kind)).map(({ id }) => id).join(', ');
      return names === '' ? undefined : `${names}: the runtime is not installed; run \`limpede setup onnx\``;
    },
    run: (model, task) => lanesOf(model).run(task),
    close: async () => void (await Promise.all([...threadsOf.values()].map((lanes) => lanes.close()))),
  };
}
