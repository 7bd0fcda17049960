import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What finds faces and objects. */
export const HUMAN = '@vladmandic/human';
const TENSORS = '@tensorflow/tfjs-core';
const WASM = '@tensorflow/tfjs-backend-wasm';
/** What reads models of tfjs. */
export const CONVERTER = '@tensorflow/tfjs-converter';

/** The path of a package in the folder in which it was installed. */
export const installedAt = (folder: string, name: string): string =>
  join(folder, 'node_modules', ...name.split('/'));

/** Whether packages are installed below a folder. */
export const areInstalled = (folder: string, names: readonly string[]): boolean =>
  names.every((name) => existsSync(join(installedAt(folder, name), 'package.json')));

/** Whether faces can be found with what is installed below a folder. */
export const isHumanInstalled = (folder: string): boolean =>
  areInstalled(folder, [HUMAN, TENSORS, WASM, CONVERTER]);

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

/** A face; 468 points of its mesh in pixels where they were asked for. */
export interface RawFace {
  readonly score: number;
  readonly box: RawBox;
  readonly mesh?: readonly (readonly [number, number, number])[];
}

/** What we use of Human. */
export interface Human {
  readonly tf: Tensors;
  load(): Promise<void>;
  detect(picture: Tensor): Promise<{
    readonly error?: string | null;
    readonly face: readonly RawFace[];
    readonly object: readonly { readonly label: string; readonly score: number; readonly box: RawBox }[];
  }>;
}

/** Human reads its weights by `fetch`: here that reads files of its own folder and reaches nothing else. */
function readOwnFiles(models: string): void {
  globalThis.fetch = async (address) => {
    const path = String(address).replace(/^file:\/\//, '');
    if (!path.startsWith(models) || path.includes('..')) throw new Error('nothing is fetched here');
    return new Response(Uint8Array.from(readFileSync(path)));
  };
}

/** Human on WebAssembly, loaded from the folder where it is installed; what is not asked for is switched off. */
export async function loadHuman(
  folder: string,
  parts: { readonly face: object; readonly object: object },
): Promise<Human> {
  const load = createRequire(join(folder, 'package.json'));
  const models = join(installedAt(folder, HUMAN), 'models/');
  const off = { enabled: false };
  readOwnFiles(models);
  // Threads of WebAssembly wait for each other; on a busy machine one is many times faster than several.
  (load(WASM) as { setThreadsCount(count: number): void }).setThreadsCount(1);
  const { Human } = load(join(installedAt(folder, HUMAN), 'dist', 'human.node-wasm.js')) as {
    readonly Human: new (config: object) => Human;
  };
  const human = new Human({
    backend: 'wasm',
    wasmPath: join(installedAt(folder, WASM), 'dist/'),
    modelBasePath: `file://${models}`,
    debug: false,
    async: false,
    cacheSensitivity: 0,
    ...{ filter: off, gesture: off, hand: off, body: off, segmentation: off },
    face: {
      enabled: true,
      ...{ iris: off, emotion: off, description: off, antispoof: off, liveness: off },
      ...parts.face,
    },
    object: parts.object,
  });
  await human.load();
  return human;
}
