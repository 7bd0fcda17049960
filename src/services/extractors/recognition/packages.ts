import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFile } from '../../../foundation/files.ts';

/** What finds faces and objects. */
export const HUMAN = '@vladmandic/human';
/** What knows nudity. */
export const NSFW = 'nsfwjs';
const TENSORS = '@tensorflow/tfjs-core';
const WASM = '@tensorflow/tfjs-backend-wasm';
const CONVERTER = '@tensorflow/tfjs-converter';
/** The model of nsfwjs that is used: the middle one of three, 5.7 MB. */
const NSFW_MODEL = ['dist', 'models', 'mobilenet_v2_mid'];
const NSFW_FILES = ['model.min.js', 'group1-shard1of2.min.js', 'group1-shard2of2.min.js'] as const;

/** Where `limpede setup recognition` installs them. */
export const recognitionFolder = (): string => packageFile('optional', 'recognition');

const inside = (folder: string, name: string) => join(folder, 'node_modules', ...name.split('/'));

/** Whether everything that recognises is installed below a folder. */
export function isRecognitionInstalled(folder: string): boolean {
  return [HUMAN, NSFW, TENSORS, WASM, CONVERTER].every((name) =>
    existsSync(join(inside(folder, name), 'package.json')),
  );
}

/** Numbers on the side of WebAssembly. */
export interface Tensor {
  dispose(): void;
  data(): Promise<Float32Array>;
}

interface Tensors {
  setBackend(name: string): Promise<boolean>;
  ready(): Promise<void>;
  tidy<Result>(work: () => Result): Result;
  tensor(values: Uint8Array, shape: readonly number[], type: 'int32'): Tensor;
  cast(tensor: Tensor, type: 'float32'): Tensor;
  div(tensor: Tensor, by: number): Tensor;
  readonly image: {
    resizeBilinear(tensor: Tensor, size: [number, number], corners?: boolean, centres?: boolean): Tensor;
  };
}

/** A box as x, y, width and height in pixels. */
export type RawBox = readonly [number, number, number, number];

/** What we use of Human. */
export interface Human {
  readonly tf: Tensors;
  load(): Promise<void>;
  detect(picture: Tensor): Promise<{
    readonly error?: string | null;
    readonly face: readonly { readonly score: number; readonly box: RawBox }[];
    readonly object: readonly { readonly label: string; readonly score: number; readonly box: RawBox }[];
  }>;
}

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

/** Human reads its weights by `fetch`: here that reads files of its own folder and reaches nothing else. */
function readOwnFiles(models: string): void {
  globalThis.fetch = async (address) => {
    const path = String(address).replace(/^file:\/\//, '');
    if (!path.startsWith(models) || path.includes('..')) throw new Error('nothing is fetched here');
    return new Response(Uint8Array.from(readFileSync(path)));
  };
}

/** Human on WebAssembly, loaded from the folder where it is installed; what it does not need to look for is switched off. */
export async function loadHuman(
  folder: string,
  limits: { readonly leastFace: number; readonly leastObject: number; readonly most: number },
): Promise<Human> {
  const load = createRequire(join(folder, 'package.json'));
  const models = join(inside(folder, HUMAN), 'models/');
  const wasmPath = join(inside(folder, WASM), 'dist/');
  const off = { enabled: false };
  readOwnFiles(models);
  const { Human } = load(join(inside(folder, HUMAN), 'dist', 'human.node-wasm.js')) as {
    readonly Human: new (config: object) => Human;
  };
  const human = new Human({
    backend: 'wasm',
    wasmPath,
    modelBasePath: `file://${models}`,
    debug: false,
    async: false,
    cacheSensitivity: 0,
    ...{ filter: off, gesture: off, hand: off, body: off, segmentation: off },
    face: {
      enabled: true,
      detector: { rotation: false, maxDetected: limits.most, minConfidence: limits.leastFace },
      ...{ mesh: off, iris: off, emotion: off, description: off, antispoof: off, liveness: off },
    },
    object: { enabled: true, minConfidence: limits.leastObject, maxDetected: limits.most },
  });
  await human.load();
  return human;
}

/** The model of nsfwjs, on the same WebAssembly; its weights come as text in its package. */
export function loadNudity(folder: string): Promise<GraphModel> {
  const load = createRequire(join(folder, 'package.json'));
  const [model, ...shards] = NSFW_FILES.map((name) => load(join(inside(folder, NSFW), ...NSFW_MODEL, name)));
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
