import { sentencesOf } from '../sentences.ts';
import type { Encoder, EncoderLanguage } from './encoder.ts';
import { DIMENSIONS } from './layers.ts';
import { LONGEST_SENTENCE, unitLength } from './network.ts';

/** What the encoder says of a text of any length. */
export interface EncodedText {
  /** 512 numbers, length 1; null when there is no text. */
  readonly vector: Float32Array | null;
  /** Pieces that were read. */
  readonly pieces: number;
  /** Parts of the text that were read one by one; 1 for a text that the encoder reads at once. */
  readonly passages: number;
  /** Whether a run of characters without any space was cut off. */
  readonly truncated: boolean;
}

/**
 * The vector of a text of any length. One that the encoder cannot read at once is read in passages of whole sentences; its
 * vector is their mean, each counted by its pieces.
 */
export function encodeText(
  encoder: Encoder,
  text: string,
  language: EncoderLanguage = encoder.languageOf(text),
): EncodedText {
  const [whole] = encoder.encode([text], language);
  if (whole === undefined) return { vector: null, pieces: 0, passages: 0, truncated: false };
  if (!whole.truncated) return { ...whole, passages: 1 };
  const passages = passagesOf(text, (part) => encoder.count(part, language));
  const encoded = encoder.encode(passages, language);
  const sum = new Float32Array(DIMENSIONS);
  for (const { vector, pieces } of encoded) {
    vector?.forEach((number, index) => {
      sum[index] = (sum[index] ?? 0) + number * pieces;
    });
  }
  return {
    vector: unitLength(sum),
    pieces: encoded.reduce((total, { pieces }) => total + pieces, 0),
    passages: encoded.length,
    truncated: encoded.some(({ truncated }) => truncated),
  };
}

/**
 * Sentences of a text, as many together as have so many pieces, at most as many as the encoder reads at once; longer sentences
 * are cut between words.
 */
export function passagesOf(
  text: string,
  count: (part: string) => number,
  mostPieces = LONGEST_SENTENCE,
): string[] {
  const passages: { text: string; pieces: number }[] = [];
  const parts = sentencesOf(text).flatMap((sentence) => fittingParts(sentence.text, count));
  for (const part of parts) {
    const last = passages.at(-1);
    if (last !== undefined && last.pieces + part.pieces <= mostPieces) {
      last.text += ` ${part.text}`;
      last.pieces += part.pieces;
    } else passages.push({ ...part });
  }
  return passages.map((passage) => passage.text);
}

/** A sentence, or its halves and their halves until each can be read at once. */
function fittingParts(sentence: string, count: (part: string) => number): { text: string; pieces: number }[] {
  const pieces = count(sentence);
  const words = sentence.split(/\s+/);
  if (pieces <= LONGEST_SENTENCE || words.length < 2) return [{ text: sentence, pieces }];
  const middle = Math.ceil(words.length / 2);
  return [words.slice(0, middle), words.slice(middle)].flatMap((half) => fittingParts(half.join(' '), count));
}
