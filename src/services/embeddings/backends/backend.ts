import type { HasCircuits } from '../../../foundation/breaker.ts';
import type { ModelBackend } from '../../../foundation/model-service/backends.ts';
import type { QueuedCaller } from '../../../foundation/model-service/model-queue.ts';
import type { EmbeddingModel } from '../contract.ts';

/** A text, or its tokens. */
export type EmbeddingInput = string | readonly number[];

/** Work for a backend. */
export interface EmbeddingTask extends QueuedCaller {
  readonly model: string;
  readonly inputs: readonly EmbeddingInput[];
  readonly language: 'en' | 'ro' | undefined;
  readonly dimensions: number | undefined;
}

/** Vectors in the order of the inputs, and the tokens that were read. */
export interface EmbeddingResult {
  readonly vectors: readonly Float32Array[];
  readonly tokens: number;
}

/** Something that turns texts into vectors. Failures are those of the error table. */
export interface EmbeddingsBackend extends ModelBackend<EmbeddingModel>, Partial<HasCircuits> {
  embed(task: EmbeddingTask): Promise<EmbeddingResult>;
}
