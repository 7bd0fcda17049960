import { existsSync } from 'node:fs';
import type { SpeechModel } from '../contract.ts';
import { type PieceTranscript, segmentsOfWords, type TranscriptWord } from '../transcript.ts';
import type { SpeechBackend } from './backend.ts';
import { type LocalLimits, recognizeInSandbox } from './sandboxed-recognizer.ts';

const PROGRAM = '/usr/bin/pocketsphinx_continuous';
/** The only model that comes with the program. */
const MODEL_FOLDER = '/usr/share/pocketsphinx/model/en-us/en-us';
const LANGUAGE = 'en';
/** Keeps pieces short, so that a canceled request frees the engine soon. */
const MOST_SECONDS = 30;

const MODEL: SpeechModel = {
  id: 'pocketsphinx-en-us',
  object: 'model',
  created: 0,
  owned_by: 'system',
  backend: 'pocketsphinx',
  languages: [LANGUAGE],
  low_confidence: true,
};

/** Whether the program and its model are installed on this system. */
export const isPocketsphinxInstalled = (): boolean => existsSync(PROGRAM) && existsSync(MODEL_FOLDER);

/** The program opens its input by path. Node gives a process a socket as input, which cannot be opened so: `cat` makes a pipe of it. */
const COMMAND = {
  program: '/bin/sh',
  argumentList: ['-c', `cat | ${PROGRAM} -infile /dev/stdin -time yes -logfn /dev/null`],
  readable: [],
};

/** A word, which of its pronunciations, where it begins and ends in seconds, and how likely it is: `then(2) 1.84 2.11 0.54`. */
const WORD_LINE = /^([^\s(]+)(?:\(\d+\))? (\d+\.\d+) (\d+\.\d+) (\d+\.\d+)$/;
/** Silences and noises are written as words in brackets. */
const NO_WORD = /^[<[+]/;
/** The program writes probability 0 for some words; the logarithm needs more. */
const LEAST_PROBABILITY = 1e-6;

/** Reads what the program writes: each utterance as a line, then its words with their times. */
export function readUtterances(output: string): PieceTranscript {
  const words: (TranscriptWord & { readonly logProbability: number })[] = [];
  for (const line of output.split('\n')) {
    const [, word = '', start, end, probability] = WORD_LINE.exec(line.trim()) ?? [];
    if (word === '' || NO_WORD.test(word)) continue;
    const logProbability = Math.min(0, Math.log(Math.max(LEAST_PROBABILITY, Number(probability))));
    words.push({ word, startSec: Number(start), endSec: Number(end), logProbability });
  }
  const text = words.map(({ word }) => word).join(' ');
  return { text, language: LANGUAGE, segments: segmentsOfWords(words), words };
}

/** English by the PocketSphinx of the system. About every third word is wrong, so it is used only when the caller names English. */
export function createPocketsphinxBackend(limits: LocalLimits): SpeechBackend {
  return {
    name: 'pocketsphinx',
    mostSeconds: MOST_SECONDS,
    isUnsure: true,
    models: async () => [MODEL],
    find: async (id) => (id === MODEL.id ? MODEL : undefined),
    // It transcribes any language as English words, and its output does not show that.
    defaultModel: async (language) => (language === LANGUAGE ? MODEL.id : undefined),
    recognize: async (task) => {
      const output = await recognizeInSandbox(COMMAND, task, limits);
      return readUtterances(output.toString());
    },
    probe: async () => {
      if (!isPocketsphinxInstalled()) throw new Error('pocketsphinx or its English model is not installed');
    },
    close: async () => undefined,
  };
}
