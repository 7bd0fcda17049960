import type { OnnxModel } from './model-folder.ts';

/** What the thread of a model is started with. */
export interface OnnxWorkerOptions {
  readonly model: OnnxModel;
  /** Folder in which the runtime is installed. */
  readonly runtime: string;
  /** Threads of the runtime. */
  readonly threads: number;
}

/** Texts or tokens for vectors, or parts of documents for their relevance. */
export type OnnxTask =
  | { readonly kind: 'embed'; readonly inputs: readonly (string | readonly number[])[] }
  | {
      readonly kind: 'score';
      readonly query: string;
      readonly parts: readonly { readonly text: string; readonly mostPassages: number }[];
    };

/** Vectors, or the relevance of each passage of each part, and the tokens that were read. */
export type OnnxResult =
  | {
      readonly kind: 'vectors';
      readonly inputs: readonly { readonly vector: Float32Array | null; readonly tokens: number }[];
    }
  | {
      readonly kind: 'scores';
      readonly parts: readonly { readonly passages: readonly number[]; readonly tokens: number }[];
    };
