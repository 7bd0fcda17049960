import type { Circuited } from '../../../foundation/breaker.ts';
import type { ModelBackend } from '../../../foundation/model-service/backends.ts';
import type { TurnTaker } from '../../../foundation/model-service/turns.ts';
import type { RerankModel } from '../contract.ts';

/** Work for a backend. */
export interface RerankTask extends TurnTaker {
  readonly model: string;
  readonly query: string;
  readonly documents: readonly string[];
  /** Passages of a document that are read; undefined: as many as the backend likes. */
  readonly mostPassages: number | undefined;
}

/** The relevance of each document, 0 to 1, in their order, and the tokens that were read. */
export interface RerankScores {
  readonly scores: readonly number[];
  readonly tokens: number;
}

/** Something that ranks documents. Failures are those of the error table. */
export interface RerankBackend extends ModelBackend<RerankModel>, Partial<Circuited> {
  rerank(task: RerankTask): Promise<RerankScores>;
}
