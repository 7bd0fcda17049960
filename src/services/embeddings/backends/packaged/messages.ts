import type { EncoderLanguage, SharedEncoder } from '../../../../text/encoder/encoder.ts';
import type { EmbeddingInput } from '../backend.ts';

/** What a thread of the encoder is started with. */
export interface WorkerStart {
  /** Its number, from 0. */
  readonly lane: number;
  readonly lanes: number;
  /** The encoder that another thread has loaded; null for the thread that loads it. */
  readonly shared: SharedEncoder | null;
}

/** Texts, or tokens, for a thread; one at a time. */
export interface WorkerTask {
  readonly inputs: readonly EmbeddingInput[];
  readonly language: EncoderLanguage | undefined;
}

/** The vector of an input, null when it holds no text, and the tokens that were read. */
export interface EncodedInput {
  readonly vector: Float32Array | null;
  readonly tokens: number;
}

/** What a thread says. */
export type WorkerAnswer =
  | { readonly kind: 'ready'; readonly shared: SharedEncoder }
  | { readonly kind: 'vectors'; readonly inputs: readonly EncodedInput[] }
  | { readonly kind: 'failed'; readonly message: string };
