import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFile } from '../../../foundation/files.ts';
import {
  areInstalled,
  CONVERTER,
  type Human,
  installedAt,
  isHumanInstalled,
  loadHuman,
  type Tensor,
} from '../../../media/human.ts';

/** What knows nudity. */
export const NSFW = 'nsfwjs';
/** The model of nsfwjs that is used: the middle one of three, 5.7 MB. */
const NSFW_MODEL = ['dist', 'models', 'mobilenet_v2_mid'];
const NSFW_FILES = ['model.min.js', 'group1-shard1of2.min.js', 'group1-shard2of2.min.js'] as const;

/** Where `limpede setup recognition` installs them. */
export const recognitionFolder = (): string => packageFile('optional', 'recognition');

/** Whether everything that recognises is installed below a folder. */
export const isRecognitionInstalled = (folder: string): boolean =>
  isHumanInstalled(folder) && areInstalled(folder, [NSFW]);

/** A model of tfjs that is a graph. */
export interface GraphModel {
  predict(input: Tensor): Tensor;
}

interface Converter {
  loadGraphModel(handler: { load(): Promise<object> }): Promise<GraphModel>;
}

interface NsfwModel {
  readonly modelTopology: object;
  readonly weightsManifest: readonly { readonly weights: readonly object[] }[];
}

/** A file of a bundle, whether it came as a module with a default or without. */
const content = <Value>(loaded: Value | { readonly default: Value }): Value =>
  typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : (loaded as Value);

/** What finds faces and objects in single pictures. */
export const loadRecogniser = (
  folder: string,
  limits: { readonly leastFace: number; readonly leastObject: number; readonly most: number },
): Promise<Human> =>
  loadHuman(folder, {
    face: {
      detector: { rotation: false, maxDetected: limits.most, minConfidence: limits.leastFace },
      mesh: { enabled: false },
    },
    object: { enabled: true, minConfidence: limits.leastObject, maxDetected: limits.most },
  });

/** The model of nsfwjs, on the same WebAssembly; its weights come as text in its package. */
export function loadNudity(folder: string): Promise<GraphModel> {
  const load = createRequire(join(folder, 'package.json'));
  const [model, ...shards] = NSFW_FILES.map((name) =>
    load(join(installedAt(folder, NSFW), ...NSFW_MODEL, name)),
  );
  const { modelTopology, weightsManifest } = content(model) as NsfwModel;
  const weights = Buffer.concat(shards.map((shard) => Buffer.from(content(shard) as string, 'base64')));
  const { loadGraphModel } = load(CONVERTER) as Converter;
  return loadGraphModel({
    load: async () => ({
      modelTopology,
      weightSpecs: weightsManifest.flatMap((group) => group.weights),
      weightData: Uint8Array.from(weights).buffer,
      format: 'graph-model',
    }),
  });
}
