import type { HasCircuits } from '../../../foundation/breaker.ts';
import type { ModelBackend } from '../../../foundation/model-service/backends.ts';
import type { QueuedCaller } from '../../../foundation/model-service/model-queue.ts';
import type { RerankModel } from '../contract.ts';

/** Work for a backend. */
export interface RerankTask extends QueuedCaller {
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
export interface RerankBackend extends ModelBackend<RerankModel>, Partial<HasCircuits> {
  rerank(task: RerankTask): Promise<RerankScores>;
}
