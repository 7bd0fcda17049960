import type { Circuited } from '../../../foundation/breaker.ts';
import type { ModelBackend } from '../../../foundation/model-service/backends.ts';
import type { TurnTaker } from '../../../foundation/model-service/turns.ts';
import type { EmbeddingModel } from '../contract.ts';

/** A text, or its tokens. */
export type EmbeddingInput = string | readonly number[];

/** Work for a backend. */
export interface EmbeddingTask extends TurnTaker {
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
export interface EmbeddingsBackend extends ModelBackend<EmbeddingModel>, Partial<Circuited> {
  embed(task: EmbeddingTask): Promise<EmbeddingResult>;
}
