import { z } from 'zod';
import { englishOrRomanian } from '../language.ts';
import type { LinearModel } from '../linear.ts';
import { type Gloss, glossText } from './gloss.ts';
import { readModelFile } from './model-file.ts';
import {
  createNetwork,
  LONGEST_SENTENCE,
  type Network,
  type SharedNetwork,
  shareNetwork,
  unitLength,
} from './network.ts';
import { originalPieces } from './original-pieces.ts';
import { correctionOf, type Student } from './student.ts';
import {
  createTokenizer,
  type Piece,
  type PieceVocabulary,
  type TokenizedText,
  type Tokenizer,
  vocabularySchema,
} from './tokenizer.ts';

/** Languages that the encoder reads; both lead into the same space. */
export type EncoderLanguage = 'en' | 'ro';

/** What an encoder is made of. */
export interface EncoderParts {
  /** Bytes of the English encoder (encoder-en.bin). */
  readonly english: Uint8Array;
  /** Romanian words with their English ones (gloss-ro.tsv). */
  readonly gloss: Gloss;
  /** Adds what the gloss misses (encoder-ro.bin). */
  readonly student: Student;
  /** Identifies the language (language.bin). */
  readonly language: LinearModel;
  /** A second upper layer that reads English pieces for persuasion techniques (techniques-upper.bin). */
  readonly upper?: Uint8Array | undefined;
  /** A further upper layer that reads sentences for whether their text presses its reader (text-upper.bin). */
  readonly whole?: Uint8Array | undefined;
}

const upperSchema = z.object({ columns: z.int().min(1) });

/** An encoder that threads can share: its weights lie in one shared memory. May be sent to other threads. */
export interface SharedEncoder {
  readonly name: string;
  readonly version: string;
  readonly vocabulary: PieceVocabulary;
  readonly network: SharedNetwork;
  readonly gloss: Gloss;
  readonly student: Student;
  readonly language: LinearModel;
  /** Numbers per piece that the second upper layer computes; 0 where there is none. */
  readonly upperColumns: number;
  /** Whether there is a layer that reads whole texts. */
  readonly readsWholeTexts: boolean;
}

/** The encoding of a sentence. */
export interface EncodedSentence {
  /** 512 numbers, length 1; null when there is no text. */
  readonly vector: Float32Array | null;
  /** Pieces that were read, at most 128. */
  readonly pieces: number;
  /** Whether the sentence had more pieces. */
  readonly truncated: boolean;
}

/** A sentence with the outputs of the further upper layers: the one that marks persuasion techniques, and the one for whole texts. */
export interface SentenceWithUpperLayers {
  readonly vector: Float32Array | null;
  readonly pieces: readonly Piece[];
  /** `upperColumns` numbers per piece, piece by piece; none in Romanian. */
  readonly upper: Float32Array;
  /** Log-odds that its text presses its reader; NaN where the layer for whole texts did not read it. */
  readonly whole: number;
}

/** The pieces of a sentence with their places (code points), and a vector of 512 numbers for each. */
export interface EncodedPieces {
  readonly pieces: readonly Piece[];
  readonly vectors: readonly Float32Array[];
  readonly truncated: boolean;
}

/**
 * Turns sentences into vectors: sentences of like content have a high cosine, in one language or across both. A sentence gives
 * the same bits in any batch, thread and machine. The language is detected where it is not passed.
 */
export interface Encoder {
  encode(sentences: readonly string[], language?: EncoderLanguage): EncodedSentence[];
  /** Numbers per piece from `encodeWithUpperLayers`; 0 where the encoder has no second upper layer. */
  readonly upperColumns: number;
  /** Whether `encodeWithUpperLayers` reads sentences for the whole text. */
  readonly readsWholeTexts: boolean;
  /** Encodes sentences with the outputs of the further upper layers; the one for whole texts reads those that `isRead` names. */
  encodeWithUpperLayers(
    sentences: readonly string[],
    language: EncoderLanguage,
    isRead?: (index: number) => boolean,
  ): SentenceWithUpperLayers[];
  /** Encodes sentences given as piece ids of the vocabulary. */
  encodeIds(sentences: readonly (readonly number[])[]): EncodedSentence[];
  /** The detected language; English unless the text looks Romanian. */
  languageOf(text: string): EncoderLanguage;
  /** Number of pieces of a text of any length. */
  count(text: string, language?: EncoderLanguage): number;
  /** Encodes the pieces of a sentence; those of a Romanian one have the positions of the original words. */
  encodePieces(sentence: string, language?: EncoderLanguage): EncodedPieces;
}

/** Loads an encoder into shared memory, with buffers for `threadCount` threads. */
export function shareEncoder(
  { english, upper, whole, ...parts }: EncoderParts,
  threadCount: number,
): SharedEncoder {
  const file = readModelFile(english, vocabularySchema);
  const { name, version, ...vocabulary } = file.header;
  const second = upper && readModelFile(upper, upperSchema);
  const third = whole && readModelFile(whole, z.object({}));
  const uppers = [second, third].filter((one) => one !== undefined);
  return {
    name,
    version,
    vocabulary,
    network: shareNetwork(file, threadCount, uppers),
    upperColumns: second?.header.columns ?? 0,
    readsWholeTexts: third !== undefined,
    ...parts,
  };
}

/** A sentence as input of the network: its pieces (of a Romanian one those of its gloss), and a correction of its vector. */
interface CutSentence {
  readonly pieces: readonly Piece[];
  readonly truncated: boolean;
  /** Added to the vector of the pieces. */
  readonly correction: Float32Array | null;
}

/** The encoder of one thread; `threadIndex` counts from 0 and is unique among the threads. */
export function createEncoder(shared: SharedEncoder, threadIndex: number): Encoder {
  const tokenizer = createTokenizer(shared.vocabulary);
  const network = createNetwork(shared.network, threadIndex);
  const languageOfText = (text: string) => englishOrRomanian(shared.language, text);
  const cutSentence = (sentence: string, language: EncoderLanguage): CutSentence => ({
    ...cutPieces(shared, tokenizer, sentence, language, LONGEST_SENTENCE),
    correction: language === 'ro' ? correctionOf(shared.student, sentence) : null,
  });
  return {
    encode: (sentences, language) =>
      encodePrepared(
        network,
        sentences.map((sentence) => cutSentence(sentence, language ?? languageOfText(sentence))),
      ),
    upperColumns: shared.upperColumns,
    readsWholeTexts: shared.readsWholeTexts,
    encodeWithUpperLayers: (sentences, language, isRead = () => true) => {
      const cut = sentences.map((sentence, index) => ({
        ...cutSentence(sentence, language),
        whole: shared.readsWholeTexts && isRead(index),
      }));
      const columns = language === 'en' ? shared.upperColumns : 0;
      const [read, others] = [true, false].map((whole) => {
        const full = cut.filter((one) => one.pieces.length > 0 && one.whole === whole);
        const ids = full.map(({ pieces }) => idsOf(pieces));
        return network.withUpper(ids, { columns, whole }).values();
      });
      return cut.map(({ pieces, correction, whole }) => {
        const one = pieces.length === 0 ? undefined : (whole ? read : others)?.next().value;
        if (one === undefined) return { vector: null, pieces, upper: new Float32Array(0), whole: Number.NaN };
        return { ...one, vector: corrected(one.vector, correction), pieces };
      });
    },
    encodeIds: (sentences) =>
      encodePrepared(
        network,
        sentences.map((ids) => ({
          pieces: ids.slice(0, LONGEST_SENTENCE).map((id) => ({ id, start: 0, end: 0 })),
          truncated: ids.length > LONGEST_SENTENCE,
          correction: null,
        })),
      ),
    languageOf: languageOfText,
    count: (text, language = languageOfText(text)) =>
      cutPieces(shared, tokenizer, text, language, Number.MAX_SAFE_INTEGER).pieces.length,
    encodePieces: (sentence, language = languageOfText(sentence)) => {
      const cut = cutPieces(shared, tokenizer, sentence, language, LONGEST_SENTENCE);
      if (cut.pieces.length === 0) return { ...cut, vectors: [] };
      const numbers = network.pieces(idsOf(cut.pieces));
      const width = numbers.length / cut.pieces.length;
      const vectors = cut.pieces.map((_, index) => numbers.slice(index * width, (index + 1) * width));
      return { ...cut, vectors };
    },
  };
}

const idsOf = (pieces: readonly Piece[]) => Uint16Array.from(pieces, ({ id }) => id);

function cutPieces(
  { gloss }: SharedEncoder,
  tokenizer: Tokenizer,
  sentence: string,
  language: EncoderLanguage,
  limit: number,
): TokenizedText {
  if (language === 'en') return tokenizer.tokenize(sentence, limit);
  const parts = glossText(gloss, sentence);
  const { pieces, truncated } = tokenizer.tokenize(parts.map(({ english }) => english).join(''), limit);
  return { pieces: originalPieces(pieces, parts, sentence), truncated };
}

function encodePrepared(network: Network, sentences: readonly CutSentence[]): EncodedSentence[] {
  const vectors = network.sentences(
    sentences.filter(({ pieces }) => pieces.length > 0).map(({ pieces }) => idsOf(pieces)),
  );
  let next = 0;
  return sentences.map(({ pieces, truncated, correction }) => {
    const vector = pieces.length === 0 ? null : (vectors[next++] ?? null);
    return { vector: vector && corrected(vector, correction), pieces: pieces.length, truncated };
  });
}

function corrected(vector: Float32Array, correction: Float32Array | null): Float32Array {
  if (correction === null) return vector;
  return unitLength(vector.map((number, index) => number + (correction[index] ?? 0)));
}
