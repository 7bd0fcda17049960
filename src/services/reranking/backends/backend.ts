import type { Probed } from '../../../foundation/health.ts';
import type { RerankModel } from '../contract.ts';

/** Work for a backend. */
export interface RerankTask {
  readonly model: string;
  readonly query: string;
  readonly documents: readonly string[];
  /** Passages of a document that are read; undefined: as many as the backend likes. */
  readonly mostPassages: number | undefined;
  /** Name of the caller: callers take turns. */
  readonly caller: string;
  readonly signal: AbortSignal;
}

/** The relevance of each document, 0 to 1, in their order, and the tokens that were read. */
export interface RerankScores {
  readonly scores: readonly number[];
  readonly tokens: number;
}

/** Something that ranks documents. Failures are those of the error table. */
export interface RerankBackend extends Probed {
  readonly name: string;
  models(signal?: AbortSignal): Promise<readonly RerankModel[]>;
  /** The model by this name, or undefined when this backend has none such. */
  find(model: string): Promise<RerankModel | undefined>;
  rerank(task: RerankTask): Promise<RerankScores>;
  close(): Promise<void>;
}
