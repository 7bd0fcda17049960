import { LRUCache } from 'lru-cache';
import { groupBySize } from '../../../foundation/model-service/group-by-size.ts';
import { createModelQueue, type ModelQueueLimits } from '../../../foundation/model-service/model-queue.ts';
import { errors } from '../errors.ts';
import type { EmbeddingInput, EmbeddingResult, EmbeddingTask } from './backend.ts';

/** The vector of an input, null when it holds no text, and the tokens that were read. */
export interface EncodedInput {
  readonly vector: Float32Array | null;
  readonly tokens: number;
}

/** Limits of the queue of a model, and how many of its vectors are cached. */
export interface EmbedderLimits extends ModelQueueLimits {
  readonly cacheEntries: number;
}

/** Encodes some inputs of a task in a thread. */
export type Encode = (
  inputs: readonly EmbeddingInput[],
  task: EmbeddingTask,
) => Promise<readonly EncodedInput[]>;

/** Characters of one task: some tens of milliseconds of work, so that callers take turns quickly. */
const GROUP_CHARACTERS = 4000;
const CHARACTERS_PER_TOKEN = 4;

const sizeOf = (input: EmbeddingInput) =>
  typeof input === 'string' ? input.length : input.length * CHARACTERS_PER_TOKEN;

/** The inputs of a request in groups, each a short task for one thread. */
export function inputGroups(inputs: readonly EmbeddingInput[]): EmbeddingInput[][] {
  return groupBySize(inputs, sizeOf, GROUP_CHARACTERS);
}

/** Refuses token ids that are not below the size of the model's vocabulary. */
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

/** Runs the tasks of one model: callers take turns; vectors are cached. */
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
    for (const group of inputGroups(missing.map(({ input }) => input))) {
      for (const encoded of await runQueued(task, () => encode(group, task))) {
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
