import type { SharedThreads } from '../../../../foundation/shared-threads.ts';
import type { EncoderLanguage } from '../../../../text/encoder/encoder.ts';
import type { EmbeddingInput } from '../backend.ts';
import type { EncodedInput } from '../embedder.ts';

/** Texts, or tokens, for a thread; one at a time. */
export interface EncodeTask {
  readonly inputs: readonly EmbeddingInput[];
  readonly language: EncoderLanguage | undefined;
}

/** The threads of the encoder; they share one copy of the weights. */
export type EncoderThreads = SharedThreads<EncodeTask, readonly EncodedInput[]>;
