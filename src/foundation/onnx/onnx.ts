import { packageFile } from '../files.ts';
import { createSharedThreads, type SharedThreads } from '../shared-threads.ts';
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

/** Opens the models of one kind: each runs in a thread of its own, started when it is first used. */
export function createOnnxModels({
  models: folder,
  kind,
  threads,
  runtime = onnxFolder(),
}: OnnxOptions): OnnxModels {
  const poolOf = new Map<string, SharedThreads<OnnxTask, OnnxResult>>();
  const list = async () => (isOnnxInstalled(runtime) ? listOnnxModels(folder, kind) : []);

  const poolFor = (model: OnnxModel): SharedThreads<OnnxTask, OnnxResult> => {
    const known = poolOf.get(model.id);
    if (known !== undefined) return known;
    const options: OnnxWorkerOptions = { model, runtime, threads };
    const pool = createSharedThreads<true, OnnxTask, OnnxResult>(
      packageFile('dist', 'onnx-worker.js'),
      1,
      options,
    );
    poolOf.set(model.id, pool);
    return pool;
  };
  return {
    list,
    find: async (id) => (await list()).find((model) => model.id === id),
    isLoaded: (id) => poolOf.get(id)?.loaded() ?? false,
    problem: async () => {
      if (isOnnxInstalled(runtime)) return undefined;
      const names = (await listOnnxModels(folder, kind)).map(({ id }) => id).join(', ');
      return names === '' ? undefined : `${names}: the runtime is not installed; run \`limpede setup onnx\``;
    },
    run: (model, task) => poolFor(model).run(task),
    close: async () => void (await Promise.all([...poolOf.values()].map((pool) => pool.close()))),
  };
}
