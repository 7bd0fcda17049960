import { existsSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { createFairQueue, QueueFullError } from '../../../../foundation/fair-queue.ts';
import { packageFile } from '../../../../foundation/files.ts';
import type { EmbeddingModel } from '../../contract.ts';
import { errors } from '../../errors.ts';
import type { EmbeddingInput, EmbeddingsBackend, EmbeddingTask } from '../backend.ts';
import { createEncoderThreads, type EncoderThreads } from './encoder-threads.ts';
import type { EncodedInput } from './messages.ts';

/** Name of the packaged model. */
export const PACKAGED_MODEL = 'limpede-encoder-1';
const DIMENSIONS = 512;
/** Ids of pieces in the packaged vocabulary. */
const VOCABULARY_SIZE = 8000;
/** Characters of texts that a thread gets at once: some tens of milliseconds of work, then the next caller has a turn. */
const PIECE_OF_WORK = 4000;
const CHARACTERS_PER_TOKEN = 4;

/** Limits of the packaged backend. */
export interface PackagedLimits {
  readonly threads: number;
  readonly waiting: number;
  readonly callerShare: number;
  readonly cacheEntries: number;
}

const sizeOf = (input: EmbeddingInput) =>
  typeof input === 'string' ? input.length : input.length * CHARACTERS_PER_TOKEN;

/** Inputs in their order, as many together as make one piece of work. */
export function piecesOfWork(inputs: readonly EmbeddingInput[]): EmbeddingInput[][] {
  const pieces: EmbeddingInput[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const input of inputs) {
    size += sizeOf(input);
    if (size > PIECE_OF_WORK) {
      pieces.push([]);
      size = sizeOf(input);
    }
    pieces.at(-1)?.push(input);
  }
  return pieces;
}

function checkTokens(inputs: readonly EmbeddingInput[]): void {
  inputs.forEach((input, index) => {
    if (typeof input === 'string' || input.every((token) => token < VOCABULARY_SIZE)) return;
    const message = `tokens of ${PACKAGED_MODEL} are numbers below ${VOCABULARY_SIZE}`;
    throw errors.validation_failed({
      details: [{ path: ['body', 'input', index], message, type: 'value_error' }],
    });
  });
}

/** The encoder of this package, in threads of its own. */
export function createPackagedBackend(
  limits: PackagedLimits,
  threads: EncoderThreads = createEncoderThreads(limits.threads),
): EmbeddingsBackend {
  const queue = createFairQueue({
    running: limits.threads,
    waiting: limits.waiting,
    each: limits.callerShare,
  });
  const cache =
    limits.cacheEntries > 0 ? new LRUCache<string, EncodedInput>({ max: limits.cacheEntries }) : undefined;
  const keyOf = (input: EmbeddingInput, { language }: EmbeddingTask) =>
    typeof input === 'string' ? `${language ?? ''}:${input}` : `tokens:${input.join(' ')}`;

  const describe = (): EmbeddingModel => ({
    id: PACKAGED_MODEL,
    object: 'model',
    created: 0,
    owned_by: 'limpede',
    backend: 'packaged',
    loaded: threads.loaded(),
    dimensions: DIMENSIONS,
    languages: ['en', 'ro'],
  });
  const encode = async (inputs: readonly EmbeddingInput[], task: EmbeddingTask) => {
    try {
      return await queue.run(
        task.caller,
        () => threads.run({ inputs, language: task.language }),
        task.signal,
      );
    } catch (error) {
      if (error instanceof QueueFullError)
        throw error.share === 'own' ? errors.rate_limited() : errors.overloaded();
      throw error;
    }
  };
  return {
    name: 'packaged',
    models: async () => [describe()],
    find: async (model) => (model === PACKAGED_MODEL ? describe() : undefined),
    embed: async (task) => {
      checkTokens(task.inputs);
      const results = task.inputs.map((input) => cache?.get(keyOf(input, task)));
      const missing = task.inputs.flatMap((input, index) =>
        results[index] === undefined ? [{ input, index }] : [],
      );
      let done = 0;
      for (const work of piecesOfWork(missing.map(({ input }) => input))) {
        for (const encoded of await encode(work, task)) {
          const place = missing[done++];
          if (place === undefined) continue;
          results[place.index] = encoded;
          cache?.set(keyOf(place.input, task), encoded);
        }
      }
      return {
        vectors: results.map(vectorOf),
        tokens: results.reduce((sum, one) => sum + (one?.tokens ?? 0), 0),
      };
    },
    probe: async () => {
      if (!existsSync(packageFile('models', 'encoder-en.bin'))) throw new Error('the weights are missing');
    },
    close: () => threads.close(),
  };
}

function vectorOf(encoded: EncodedInput | undefined, index: number): Float32Array {
  if (encoded !== undefined && encoded.vector !== null) return encoded.vector;
  const message = 'there is no text in it';
  throw errors.validation_failed({
    details: [{ path: ['body', 'input', index], message, type: 'value_error' }],
  });
}
