import type { Circuited } from '../../../foundation/breaker.ts';
import type { Probed } from '../../../foundation/health.ts';
import type { EmbeddingModel } from '../contract.ts';

/** A text, or its tokens. */
export type EmbeddingInput = string | readonly number[];

/** Work for a backend. */
export interface EmbeddingTask {
  readonly model: string;
  readonly inputs: readonly EmbeddingInput[];
  readonly language: 'en' | 'ro' | undefined;
  readonly dimensions: number | undefined;
  /** Name of the caller: callers take turns. */
  readonly caller: string;
  readonly signal: AbortSignal;
}

/** Vectors in the order of the inputs, and the tokens that were read. */
export interface EmbeddingResult {
  readonly vectors: readonly Float32Array[];
  readonly tokens: number;
}

/** Something that turns texts into vectors. Failures are those of the error table. */
export interface EmbeddingsBackend extends Probed, Partial<Circuited> {
  readonly name: string;
  models(signal?: AbortSignal): Promise<readonly EmbeddingModel[]>;
  /** The model by this name, or undefined when this backend has none such. */
  find(model: string): Promise<EmbeddingModel | undefined>;
  embed(task: EmbeddingTask): Promise<EmbeddingResult>;
  close(): Promise<void>;
}
