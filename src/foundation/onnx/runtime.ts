import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFile } from '../files.ts';

/** The runtime, and what cuts texts into tokens for it. */
export const ONNX_RUNTIME = 'onnxruntime-node';
const TOKENIZERS = '@huggingface/tokenizers';

/** Where `limpede setup onnx` installs both. */
export function onnxFolder(): string {
  return packageFile('optional', 'onnx');
}

/** Machines that the runtime comes built for. */
const MACHINES = new Set(['linux x64', 'linux arm64', 'darwin arm64', 'win32 x64', 'win32 arm64']);

/** Whether there is a built runtime for a machine, as Node names it. */
export function isOnnxMachine(platform: string, processor: string): boolean {
  return MACHINES.has(`${platform} ${processor}`);
}

/** Whether the runtime and the tokenizers are installed below a folder. */
export function isOnnxInstalled(folder: string): boolean {
  return (
    isOnnxMachine(process.platform, process.arch) &&
    [ONNX_RUNTIME, TOKENIZERS].every((name) =>
      existsSync(join(folder, 'node_modules', ...name.split('/'), 'package.json')),
    )
  );
}

/** Numbers with their shape, as the runtime takes and gives them. */
export interface Tensor {
  readonly data: Float32Array | BigInt64Array;
  readonly dims: readonly number[];
}

/** A model that the runtime has loaded. */
export interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
}

/** What we use of onnxruntime-node. */
interface Runtime {
  readonly InferenceSession: { create(path: string, options: object): Promise<Session> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor;
}

/** The tokens of a text, or of two. */
interface Encoding {
  readonly ids: number[];
  readonly token_type_ids?: number[];
}

/** What we use of a tokenizer. */
export interface OnnxTokenizer {
  encode(
    text: string,
    options?: { text_pair?: string; add_special_tokens?: boolean; return_token_type_ids?: boolean },
  ): Encoding;
}

interface Tokenizers {
  readonly Tokenizer: new (tokenizer: object, config: object) => OnnxTokenizer;
}

/** Both packages, loaded from the folder where they are installed. */
export function loadRuntime(folder: string): Runtime & Tokenizers {
  const load = createRequire(join(folder, 'package.json'));
  const { InferenceSession, Tensor } = load(ONNX_RUNTIME) as Runtime;
  const { Tokenizer } = load(TOKENIZERS) as Tokenizers;
  return { InferenceSession, Tensor, Tokenizer };
}
