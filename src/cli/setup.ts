import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineCommand } from 'citty';
import { packageFile } from '../foundation/files.ts';
import { isOnnxInstalled, isOnnxMachine, ONNX_RUNTIME, onnxFolder } from '../foundation/onnx/runtime.ts';
import type { Environment } from '../foundation/settings.ts';
import { HUMAN } from '../media/human.ts';
import { isRecognitionInstalled, recognitionFolder } from '../services/extractors/recognition/packages.ts';
import { BINDING, enginePackage, isInstalled } from '../services/llm/backends/embedded/binding.ts';
import {
  isSpeechInstalled,
  SPEECH_RUNTIME,
  speechBuild,
  speechFolder,
} from '../services/speech/backends/sherpa-runtime.ts';
import { UserError } from './user-error.ts';

/** A machine, as Node names it. */
export interface Machine {
  readonly platform: string;
  readonly processor: string;
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/** The version that the lockfile of a folder pins for a package. */
function pinned(folder: string, name: string): string {
  const lock: LockFile = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const version = lock.packages[`node_modules/${name}`]?.version;
  if (version === undefined) throw new UserError(`${name} is not in the lockfile of ${folder}`);
  return version;
}

/** The version that is installed in a folder with all that this machine needs; undefined when something is missing. */
function installed(folder: string): string | undefined {
  if (!isInstalled(folder)) return undefined;
  const manifest = readFileSync(join(folder, 'node_modules', BINDING, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version?: string }).version;
}

/**
 * Arguments of npm that install the binding with the built engine of one machine, as the lockfile pins them: nothing is
 * compiled, and the optional packages, hundreds of megabytes for graphics cards, stay away.
 */
export function installArguments(folder: string, { platform, processor }: Machine): string[] {
  const engine = enginePackage(platform, processor);
  if (engine === undefined)
    throw new UserError(
      `llama: there is no built engine for ${platform} on ${processor}; run a llama.cpp server and set LLM_CPU_URL`,
    );
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const packageSpec = `${engine}@${pinned(folder, engine)}`;
  return ['install', '--no-save', '--ignore-scripts', '--omit=optional', ...quiet, packageSpec];
}

/** Runs npm in a folder; its words go to standard error. */
function npm(folder: string, words: readonly string[], environment: Environment): Promise<void> {
  const windows = process.platform === 'win32';
  return new Promise((resolve, reject) => {
    const child = spawn(windows ? 'npm.cmd' : 'npm', words, {
      cwd: folder,
      env: { ...environment },
      stdio: ['ignore', 2, 2],
      shell: windows,
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new UserError(`npm ended with ${code}: nothing was set up`));
    });
  });
}

/** Installs the embedded llama.cpp into its own folder; says what it did. */
export async function setUpLlama(folder: string, environment: Environment): Promise<string> {
  const version = pinned(folder, BINDING);
  const words = installArguments(folder, { platform: process.platform, processor: process.arch });
  if (installed(folder) === version) return `${BINDING} ${version} is installed already, in ${folder}.`;
  await npm(folder, words, environment);
  if (installed(folder) !== version) throw new UserError(`npm installed nothing usable in ${folder}`);
  return `${BINDING} ${version} is installed in ${folder}.`;
}

const CLEAN_INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** A runtime that comes built for some machines, in a folder and with a lockfile of its own. */
interface Runtime {
  readonly name: string;
  readonly isInstalled: (folder: string) => boolean;
  /** Why it cannot be had here; undefined when it can. */
  readonly refusal: string | undefined;
}

/** Installs a runtime as its lockfile pins it; says what it did. */
async function setUpRuntime(folder: string, environment: Environment, runtime: Runtime): Promise<string> {
  const { name, isInstalled: isThere, refusal } = runtime;
  if (refusal !== undefined) throw new UserError(refusal);
  const version = pinned(folder, name);
  const there = () => {
    if (!isThere(folder)) return undefined;
    const manifest = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    return (JSON.parse(manifest) as { version?: string }).version;
  };
  if (there() === version) return `${name} ${version} is installed already, in ${folder}.`;
  await npm(folder, CLEAN_INSTALL, environment);
  if (there() !== version) throw new UserError(`npm installed nothing usable in ${folder}`);
  return `${name} ${version} is installed in ${folder}.`;
}

const MACHINE = `${process.platform} on ${process.arch}`;

/** Installs the runtime of ONNX models; says what it did. */
export function setUpOnnx(folder: string, environment: Environment): Promise<string> {
  const refusal = isOnnxMachine(process.platform, process.arch)
    ? undefined
    : `onnx: there is no built runtime for ${MACHINE}; name servers by EMBEDDINGS_UPSTREAM_URL and RERANKING_UPSTREAM_URL`;
  return setUpRuntime(folder, environment, { name: ONNX_RUNTIME, isInstalled: isOnnxInstalled, refusal });
}

/** Installs the runtime of speech models; says what it did. */
export function setUpSpeech(folder: string, environment: Environment): Promise<string> {
  const refusal =
    speechBuild(process.platform, process.arch) === undefined
      ? `speech: there is no built runtime for ${MACHINE}; name a server by SPEECH_UPSTREAM_URL`
      : undefined;
  return setUpRuntime(folder, environment, { name: SPEECH_RUNTIME, isInstalled: isSpeechInstalled, refusal });
}

/** Installs what recognises objects, faces and nudity in pictures; says what it did. */
export function setUpRecognition(folder: string, environment: Environment): Promise<string> {
  return setUpRuntime(folder, environment, {
    name: HUMAN,
    isInstalled: isRecognitionInstalled,
    refusal: undefined,
  });
}

/** `limpede setup llama`, `onnx`, `speech` and `recognition`: install parts that few need and that are too large to come along. */
export function setupCommand(environment: Environment) {
  const llama = defineCommand({
    meta: {
      name: 'llama',
      description: 'Install the embedded llama.cpp, about 85 MB, for models on this CPU',
    },
    run: async () => {
      console.log(await setUpLlama(packageFile('optional', 'llama'), environment));
      console.error(
        'Put a GGUF file into the folder models below LIMPEDE_HOME: its name is the name of the model.',
      );
    },
  });
  const onnx = defineCommand({
    meta: {
      name: 'onnx',
      description:
        'Install the runtime of ONNX models, about 290 MB, for embeddings and reranking on this CPU',
    },
    run: async () => {
      console.log(await setUpOnnx(onnxFolder(), environment));
      console.error(
        'Put a folder with model.onnx, tokenizer.json and config.json into the folder models below LIMPEDE_HOME: its name is the name of the model.',
      );
    },
  });
  const recognition = defineCommand({
    meta: {
      name: 'recognition',
      description: 'Install what recognises objects, faces and nudity in pictures, about 175 MB',
    },
    run: async () => console.log(await setUpRecognition(recognitionFolder(), environment)),
  });
  const speech = defineCommand({
    meta: {
      name: 'speech',
      description: 'Install the runtime of speech models, about 32 MB, for transcription on this CPU',
    },
    run: async () => {
      console.log(await setUpSpeech(speechFolder(), environment));
      console.error(
        'Put a folder of a model as sherpa-onnx publishes it (tokens.txt and its .onnx files) into the folder models below LIMPEDE_HOME: its name is the name of the model.',
      );
    },
  });
  return defineCommand({
    meta: { name: 'setup', description: 'Install optional parts' },
    subCommands: { llama, onnx, speech, recognition },
  });
}
