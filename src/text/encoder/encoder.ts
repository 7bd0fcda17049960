import { readEncoderFile } from './model-file.ts';
import { createNetwork, LONGEST_SENTENCE, type SharedNetwork, shareNetwork } from './network.ts';
import { createTokenizer, type Piece, type Vocabulary } from './tokenizer.ts';

/** An encoder that threads can share: its weights lie in one shared memory. May be sent to other threads. */
export interface SharedEncoder {
  readonly name: string;
  readonly version: string;
  readonly vocabulary: Vocabulary;
  readonly network: SharedNetwork;
}

/** What the encoder says of a sentence. */
export interface EncodedSentence {
  /** 512 numbers, length 1; null when there is no text. */
  readonly vector: Float32Array | null;
  /** Pieces that were read, at most 128. */
  readonly pieces: number;
  /** Whether there were more of them. */
  readonly truncated: boolean;
}

/** The pieces of a sentence with their places (code points), and a vector of 512 numbers for each. */
export interface EncodedPieces {
  readonly pieces: readonly Piece[];
  readonly vectors: readonly Float32Array[];
  readonly truncated: boolean;
}

/** Turns English sentences into vectors: sentences of like content have a high cosine. Always the same bits. */
export interface Encoder {
  encode(sentences: readonly string[]): EncodedSentence[];
  encodePieces(sentence: string): EncodedPieces;
}

/** Loads an encoder file for up to so many threads. */
export function shareEncoder(file: Uint8Array, lanes: number): SharedEncoder {
  const parts = readEncoderFile(file);
  const { name, version, pieces, scores, reserved } = parts.header;
  return { name, version, vocabulary: { pieces, scores, reserved }, network: shareNetwork(parts, lanes) };
}

/** The encoder of one thread; `lane` is the number of the thread, from 0, and no two threads have the same. */
export function createEncoder(shared: SharedEncoder, lane: number): Encoder {
  const tokenizer = createTokenizer(shared.vocabulary);
  const network = createNetwork(shared.network, lane);
  const idsOf = (pieces: readonly Piece[]) => Uint16Array.from(pieces, ({ id }) => id);
  return {
    encode: (sentences) => {
      const tokenized = sentences.map((sentence) => tokenizer.tokenize(sentence, LONGEST_SENTENCE));
      const vectors = network.sentences(
        tokenized.filter(({ pieces }) => pieces.length > 0).map(({ pieces }) => idsOf(pieces)),
      );
      let next = 0;
      return tokenized.map(({ pieces, truncated }) => ({
        vector: pieces.length === 0 ? null : (vectors[next++] ?? null),
        pieces: pieces.length,
        truncated,
      }));
    },
    encodePieces: (sentence) => {
      const { pieces, truncated } = tokenizer.tokenize(sentence, LONGEST_SENTENCE);
      if (pieces.length === 0) return { pieces: [], vectors: [], truncated };
      const numbers = network.pieces(idsOf(pieces));
      const width = numbers.length / pieces.length;
      const vectors = pieces.map((_, index) => numbers.slice(index * width, (index + 1) * width));
      return { pieces, vectors, truncated };
    },
  };
}
