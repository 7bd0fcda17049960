import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFile } from '../../../foundation/files.ts';

/** The runtime of speech models. */
export const SPEECH_RUNTIME = 'sherpa-onnx-node';

/** Where `limpede setup speech` installs it. */
export function speechFolder(): string {
  return packageFile('optional', 'speech');
}

const BUILDS: Readonly<Record<string, string>> = {
  'linux x64': 'sherpa-onnx-linux-x64',
  'linux arm64': 'sherpa-onnx-linux-arm64',
  'darwin x64': 'sherpa-onnx-darwin-x64',
  'darwin arm64': 'sherpa-onnx-darwin-arm64',
  'win32 x64': 'sherpa-onnx-win-x64',
  'win32 ia32': 'sherpa-onnx-win-ia32',
};

/** The package that carries the runtime for a machine, as Node names it; undefined when there is none. */
export function speechBuild(platform: string, processor: string): string | undefined {
  return BUILDS[`${platform} ${processor}`];
}

/** Whether the runtime and its build for this machine are installed below a folder. */
export function isSpeechInstalled(folder: string): boolean {
  const build = speechBuild(process.platform, process.arch);
  return (
    build !== undefined &&
    [SPEECH_RUNTIME, build].every((name) => existsSync(join(folder, 'node_modules', name, 'package.json')))
  );
}

/** What a recognizer is made of: the files of one family of models, and the tokens. */
export interface RecognizerConfig {
  readonly featConfig: { readonly sampleRate: number; readonly featureDim: number };
  readonly modelConfig: {
    readonly [family: string]: Readonly<Record<string, string>> | string | number;
    readonly tokens: string;
    readonly numThreads: number;
  };
}

/** What a recognizer hears; times in seconds, only of models that give them. */
export interface RecognizerResult {
  readonly text: string;
  readonly lang?: string;
  readonly tokens?: readonly string[];
  readonly timestamps?: readonly number[];
}

interface Stream {
  acceptWaveform(wave: { readonly sampleRate: number; readonly samples: Float32Array }): void;
}

/** What we use of the runtime. */
interface Runtime {
  readonly OfflineRecognizer: new (
    config: RecognizerConfig,
  ) => {
    createStream(): Stream;
    decode(stream: Stream): void;
    getResult(stream: Stream): RecognizerResult;
  };
}

/** The runtime from the folder where it is installed. A damaged model ends the process that gives it one. */
export function loadSpeechRuntime(folder: string): Runtime {
  return createRequire(join(folder, 'package.json'))(SPEECH_RUNTIME) as Runtime;
}
