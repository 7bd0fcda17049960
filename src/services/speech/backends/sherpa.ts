import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { bundledProgram } from '../../../foundation/files.ts';
import type { SpeechModel } from '../contract.ts';
import { errors } from '../errors.ts';
import { languageCode } from '../language-codes.ts';
import { SAMPLE_RATE } from '../pieces.ts';
import { type PieceTranscript, segmentsOfWords, type TranscriptWord } from '../transcript.ts';
import type { RecognitionTask, SpeechBackend } from './backend.ts';
import { listSpeechModels, type SherpaModel } from './model-folder.ts';
import { type LocalLimits, recognizeInSandbox } from './sandboxed-recognizer.ts';
import { isSpeechInstalled, type RecognizerConfig, speechFolder } from './sherpa-runtime.ts';
import type { RecognitionWorkerOptions } from './speech-recognition-worker.ts';

/** Where models of the operator lie, and how they are run. */
export interface SherpaOptions {
  /** Folder of folders, each with the files of a model. */
  readonly models: string;
  /** The model to take when a caller names none; the first by name when absent. */
  readonly preferred: string | undefined;
  readonly threads: number;
  readonly limits: LocalLimits;
  /** Where the runtime is installed; the usual place when absent. */
  readonly runtime?: string;
}

/** Whisper models read windows of 30 seconds and ignore the rest. */
const MOST_SECONDS = 28;
const FEATURES = 80;

const recognizerOutput = z.object({
  text: z.string(),
  lang: z.string().optional(),
  tokens: z.array(z.string()).default([]),
  timestamps: z.array(z.number().min(0)).default([]),
});

/** Tokens that begin a word begin with a space, which SentencePiece writes as a low line. */
const BEGINS_WORD = /^[ \u2581]/;

/** Assumed longest word in seconds: models give only the start of words. */
const LONGEST_WORD = 1;

/** Words of tokens that have times; a word ends where the next begins. */
function wordsOf(tokens: readonly string[], times: readonly number[], lengthSec: number): TranscriptWord[] {
  const words: { word: string; startSec: number; endSec: number }[] = [];
  tokens.forEach((token, index) => {
    const startSec = times[index] ?? lengthSec;
    const last = words.at(-1);
    if (last === undefined || BEGINS_WORD.test(token)) {
      if (last !== undefined) last.endSec = Math.min(last.endSec, startSec);
      const endSec = Math.min(lengthSec, startSec + LONGEST_WORD);
      words.push({ word: token.replace(BEGINS_WORD, ''), startSec, endSec });
    } else last.word += token;
  });
  return words.filter(({ word }) => word !== '');
}

function configOf(
  { folder, family, graphs, tokens }: SherpaModel,
  language: string | undefined,
  threads: number,
): RecognizerConfig {
  const files = Object.fromEntries(Object.entries(graphs).map(([part, name]) => [part, join(folder, name)]));
  // Only these two families take a language; the others are trained for fixed ones.
  const takesLanguage = family === 'whisper' || family === 'senseVoice';
  return {
    featConfig: { sampleRate: SAMPLE_RATE, featureDim: FEATURES },
    modelConfig: {
      [family]: { ...files, ...(takesLanguage && { language: language ?? '' }) },
      tokens: join(folder, tokens),
      numThreads: threads,
      provider: 'cpu',
    },
  };
}

function transcriptOf(output: Buffer, lengthSec: number): PieceTranscript {
  let read: z.infer<typeof recognizerOutput>;
  try {
    read = recognizerOutput.parse(JSON.parse(output.toString()));
  } catch (error) {
    throw errors.backend_failed({ cause: error });
  }
  const { text, lang, tokens, timestamps } = read;
  const isTimed = tokens.length === timestamps.length && (tokens.length > 0 || text.trim() === '');
  const words = isTimed ? wordsOf(tokens, timestamps, lengthSec) : null;
  return {
    text: text.trim(),
    language: languageCode(lang?.replace(/[<|>]/g, '')),
    segments: words === null ? null : segmentsOfWords(words),
    words,
  };
}

const describe = ({ id, created, languages }: SherpaModel): SpeechModel => ({
  id,
  object: 'model',
  created,
  owned_by: 'operator',
  backend: 'sherpa',
  languages: languages === null ? null : [...languages],
  low_confidence: false,
});

/** Why models that are there cannot run; undefined when all can, or there are none. */
function problemOf(models: readonly SherpaModel[], isInstalled: boolean): string | undefined {
  const names = models.map(({ id }) => id).join(', ');
  if (names !== '' && !isInstalled)
    return `${names}: the runtime is not installed; run \`limpede setup speech\``;
  const gaps = models.filter(({ missing }) => missing.length > 0);
  if (gaps.length === 0) return undefined;
  return gaps.map(({ id, missing }) => `${id} lacks ${missing.join(', ')}`).join('; ');
}

/** Speech models of the operator, run by sherpa-onnx; each piece in a new sandboxed process. */
export function createSherpaBackend(options: SherpaOptions): SpeechBackend {
  const runtime = options.runtime ?? speechFolder();
  const usable = async () =>
    isSpeechInstalled(runtime)
      ? (await listSpeechModels(options.models)).filter(({ missing }) => missing.length === 0)
      : [];
  const find = async (id: string) => (await usable()).find((model) => model.id === id);
  const recognize = async (task: RecognitionTask): Promise<PieceTranscript> => {
    const model = await find(task.model);
    if (model === undefined) throw errors.model_not_found();
    const { script, readable } = bundledProgram('speech-recognition-worker.js');
    const config = configOf(model, task.language, options.threads);
    const workerOptions: RecognitionWorkerOptions = { runtime, config };
    const program = {
      program: process.execPath,
      argumentList: [script, JSON.stringify(workerOptions)],
      readable: [dirname(realpathSync(process.execPath)), ...readable, runtime, realpathSync(model.folder)],
    };
    const { startSec, endSec } = task.piece;
    return transcriptOf(await recognizeInSandbox(program, task, options.limits), endSec - startSec);
  };
  return {
    name: 'sherpa',
    mostSeconds: MOST_SECONDS,
    models: async () => (await usable()).map(describe),
    find: async (id) => {
      const model = await find(id);
      return model && describe(model);
    },
    defaultModel: async (language) => {
      const fitting = (await usable()).filter(
        ({ languages }) => language === undefined || languages === null || languages.includes(language),
      );
      return (fitting.find(({ id }) => id === options.preferred) ?? fitting[0])?.id;
    },
    recognize,
    probe: async () => {
      const problem = problemOf(await listSpeechModels(options.models), isSpeechInstalled(runtime));
      if (problem !== undefined) throw new Error(problem);
    },
    close: async () => undefined,
  };
}
