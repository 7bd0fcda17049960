import type { Probeable } from '../health.ts';
import type { ModelServiceFailures } from './errors.ts';

/** Something that runs models: threads of this process, or a server. */
export interface ModelBackend<Model extends { readonly id: string }> extends Probeable {
  readonly name: string;
  models(signal?: AbortSignal): Promise<readonly Model[]>;
  /** The model by this name; undefined when this backend lacks it. */
  find(model: string): Promise<Model | undefined>;
  close(): Promise<void>;
}

/** The listing of a backend with one model. */
export function oneModel<Model extends { readonly id: string }>(
  describe: () => Model,
): Pick<ModelBackend<Model>, 'models' | 'find'> {
  const find = (id: string) => [describe()].find((model) => model.id === id);
  return { models: async () => [describe()], find: async (id) => find(id) };
}

/** The models of all backends; of two with one name, that of the earlier backend. */
export async function modelsOf<Model extends { readonly id: string }>(
  backends: readonly ModelBackend<Model>[],
): Promise<Model[]> {
  const lists = await Promise.all(backends.map((backend) => backend.models()));
  const byId = new Map<string, Model>();
  for (const model of lists.flat()) if (!byId.has(model.id)) byId.set(model.id, model);
  return [...byId.values()];
}

/** The first backend that has a model, and the model; throws `model_not_found` with the names that there are. */
export async function backendOf<Model extends { readonly id: string }, Backend extends ModelBackend<Model>>(
  backends: readonly Backend[],
  name: string,
  errors: Pick<ModelServiceFailures, 'model_not_found'>,
): Promise<{ backend: Backend; model: Model }> {
  for (const backend of backends) {
    const model = await backend.find(name);
    if (model !== undefined) return { backend, model };
  }
  const known = (await modelsOf<Model>(backends)).map(({ id }) => id).join(', ');
  throw errors.model_not_found({ message: `There is no model of this name; there are: ${known}.` });
}
