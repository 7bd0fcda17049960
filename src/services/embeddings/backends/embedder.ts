import { LRUCache } from 'lru-cache';
import { createModelQueue, type ModelQueueLimits } from '../../../foundation/model-service/model-queue.ts';
import { errors } from '../errors.ts';
import type { EmbeddingInput, EmbeddingResult, EmbeddingTask } from './backend.ts';

/** The vector of an input, null when it holds no text, and the tokens that were read. */
export interface EncodedInput {
  readonly vector: Float32Array | null;
  readonly tokens: number;
}

/** How much may be under way for a model, and how many vectors of it are kept. */
export interface EmbedderLimits extends ModelQueueLimits {
  readonly cacheEntries: number;
}

/** Encodes some inputs of a task in a thread. */
export type Encode = (
  inputs: readonly EmbeddingInput[],
  task: EmbeddingTask,
) => Promise<readonly EncodedInput[]>;

/** Characters of texts that a thread gets at once: some tens of milliseconds of work, then the next caller has a turn. */
const PIECE_OF_WORK = 4000;
const CHARACTERS_PER_TOKEN = 4;

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

/** Refuses tokens that a model of so many does not have. */
export function checkTokens(inputs: readonly EmbeddingInput[], model: string, vocabulary: number): void {
  inputs.forEach((input, index) => {
    if (typeof input === 'string' || input.every((token) => token < vocabulary)) return;
    const message = `tokens of ${model} are numbers below ${vocabulary}`;
    throw errors.validation_failed({
      details: [{ path: ['body', 'input', index], message, type: 'value_error' }],
    });
  });
}

const keyOf = (input: EmbeddingInput, { language }: EmbeddingTask) =>
  typeof input === 'string' ? `${language ?? ''}:${input}` : `tokens:${input.join(' ')}`;

/** Runs the tasks of one model: callers in turns, each input once. */
export function createEmbedder(limits: EmbedderLimits, encode: Encode, threads = limits.threads) {
  const runQueued = createModelQueue(limits, errors, threads);
  const cache =
    limits.cacheEntries > 0 ? new LRUCache<string, EncodedInput>({ max: limits.cacheEntries }) : undefined;
  return async (task: EmbeddingTask): Promise<EmbeddingResult> => {
    const results = task.inputs.map((input) => cache?.get(keyOf(input, task)));
    const missing = task.inputs.flatMap((input, index) =>
      results[index] === undefined ? [{ input, index }] : [],
    );
    let done = 0;
    for (const work of piecesOfWork(missing.map(({ input }) => input))) {
      for (const encoded of await runQueued(task, () => encode(work, task))) {
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
  };
}

function vectorOf(encoded: EncodedInput | undefined, index: number): Float32Array {
  if (encoded !== undefined && encoded.vector !== null) return encoded.vector;
  const message = 'there is no text in it';
  throw errors.validation_failed({
    details: [{ path: ['body', 'input', index], message, type: 'value_error' }],
  });
}
