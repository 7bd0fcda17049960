import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { bundledProgram } from '../../../foundation/files.ts';
import type { SpeechModel } from '../contract.ts';
import { errors } from '../errors.ts';
import { languageCode } from '../language-codes.ts';
import { RATE } from '../pieces.ts';
import { type PieceTranscript, segmentsOfWords, type TranscriptWord } from '../transcript.ts';
import type { HearingTask, SpeechBackend } from './backend.ts';
import { hearBy, type LocalLimits } from './local-process.ts';
import { listSpeechModels, type SherpaModel } from './model-folder.ts';
import { isSpeechInstalled, type RecognizerConfig, speechFolder } from './sherpa-runtime.ts';
import type { HearingOptions } from './speech-hear-worker.ts';

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

/** Whisper models hear thirty seconds at once, and nothing beyond. */
const MOST_SECONDS = 28;
const FEATURES = 80;

const heard = z.object({
  text: z.string(),
  lang: z.string().optional(),
  tokens: z.array(z.string()).default([]),
  timestamps: z.array(z.number().min(0)).default([]),
});

/** Tokens that begin a word begin with a space, which SentencePiece writes as a low line. */
const BEGINS_WORD = /^[ \u2581]/;

/** Seconds of the longest word: models tell only where words begin. */
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
  // These two are told which language to hear; the others hear what they were made for.
  const isTold = family === 'whisper' || family === 'senseVoice';
  return {
    featConfig: { sampleRate: RATE, featureDim: FEATURES },
    modelConfig: {
      [family]: { ...files, ...(isTold && { language: language ?? '' }) },
      tokens: join(folder, tokens),
      numThreads: threads,
      provider: 'cpu',
    },
  };
}

function transcriptOf(output: Buffer, lengthSec: number): PieceTranscript {
  let read: z.infer<typeof heard>;
  try {
    read = heard.parse(JSON.parse(output.toString()));
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

/** Speech models of the operator, each piece in a process of its own that ends with it. */
export function createSherpaBackend(options: SherpaOptions): SpeechBackend {
  const runtime = options.runtime ?? speechFolder();
  const usable = async () =>
    isSpeechInstalled(runtime)
      ? (await listSpeechModels(options.models)).filter(({ missing }) => missing.length === 0)
      : [];
  const find = async (id: string) => (await usable()).find((model) => model.id === id);
  const hear = async (task: HearingTask): Promise<PieceTranscript> => {
    const model = await find(task.model);
    if (model === undefined) throw errors.model_not_found();
    const { script, readable } = bundledProgram('speech-hear-worker.js');
    const config = configOf(model, task.language, options.threads);
    const given: HearingOptions = { runtime, config };
    const program = {
      program: process.execPath,
      argumentList: [script, JSON.stringify(given)],
      readable: [dirname(realpathSync(process.execPath)), ...readable, runtime, realpathSync(model.folder)],
    };
    const { startSec, endSec } = task.piece;
    return transcriptOf(await hearBy(program, task, options.limits), endSec - startSec);
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
    hear,
    probe: async () => {
      const problem = problemOf(await listSpeechModels(options.models), isSpeechInstalled(runtime));
      if (problem !== undefined) throw new Error(problem);
    },
    close: async () => undefined,
  };
}
