import type { Encoder, EncoderLanguage } from '../../../../text/encoder/encoder.ts';
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { sentencesOf } from '../../../../text/sentences.ts';
import { readable } from '../plain-text.ts';

/**
 * What the sentence encoder says of a text, for all detectors: one pass over the text as a person reads it (`readable`).
 * The numbers lie in memory that threads share.
 */
export interface TextEncoding {
  /** First and last UTF-16 offset of each sentence that was read, one pair after the other, ascending. */
  readonly bounds: Uint32Array;
  /** 512 numbers a sentence, of length 1, or zeros where there was nothing to read. */
  readonly vectors: Float32Array;
}

/** A text of more sentences is encoded up to here: about 50,000 characters; detectors read the rest by words alone. */
const MOST_SENTENCES = 480;

/** The sentences of a text that are encoded. */
interface EncodableSentences {
  /** As in `TextEncoding`. */
  readonly bounds: Uint32Array;
  /** The words of each, as a person reads them. */
  readonly quotes: string[];
}

/** Cuts a text into the sentences that are encoded. Linear in its length. */
export function encodableSentences(text: string): EncodableSentences {
  const sentences = sentencesOf(readable(text).text).slice(0, MOST_SENTENCES);
  const bounds = new Uint32Array(new SharedArrayBuffer(8 * sentences.length));
  sentences.forEach(({ start, end }, index) => {
    bounds.set([start, end], 2 * index);
  });
  return { bounds, quotes: sentences.map((sentence) => sentence.text) };
}

/** 512 numbers for each sentence; `language` is ISO 639-1, and tells Romanian from what is read as English. */
export function vectorsOf(
  encoder: Pick<Encoder, 'encode'>,
  { quotes, language }: { readonly quotes: readonly string[]; readonly language: string },
): Float32Array {
  const vectors = new Float32Array(new SharedArrayBuffer(4 * DIMENSIONS * quotes.length));
  encoder.encode(quotes, knownLanguage(language)).forEach(({ vector }, index) => {
    if (vector !== null) vectors.set(vector, index * DIMENSIONS);
  });
  return vectors;
}

/** Encodes a text at once. */
export function encodingOf(
  encoder: Pick<Encoder, 'encode'>,
  { text, language }: { readonly text: string; readonly language: string },
): TextEncoding {
  const { bounds, quotes } = encodableSentences(text);
  return { bounds, vectors: vectorsOf(encoder, { quotes, language }) };
}

/** The parts of encoding a text, each short enough for one turn in a thread. */
export interface EncodingSteps {
  sentences(text: string): Promise<EncodableSentences>;
  vectors(input: Parameters<typeof vectorsOf>[1]): Promise<Float32Array>;
}

/** Sentences that are encoded in one turn: about a tenth of a second of a processor. */
const SENTENCES_OF_TURN = 48;

/** Encodes a text turn by turn, so that a long one lets others through. The numbers are those of `encodingOf`. */
export async function encodeByTurns(
  steps: EncodingSteps,
  { text, language }: { readonly text: string; readonly language: string },
): Promise<TextEncoding> {
  const { bounds, quotes } = await steps.sentences(text);
  const vectors = new Float32Array(new SharedArrayBuffer(4 * DIMENSIONS * quotes.length));
  for (let from = 0; from < quotes.length; from += SENTENCES_OF_TURN) {
    const part = await steps.vectors({ quotes: quotes.slice(from, from + SENTENCES_OF_TURN), language });
    vectors.set(part, from * DIMENSIONS);
  }
  return { bounds, vectors };
}

function knownLanguage(language: string): EncoderLanguage | undefined {
  const code = language.slice(0, 2).toLowerCase();
  return code === 'en' || code === 'ro' ? code : undefined;
}

/** The vector of the sentence in which a UTF-16 offset lies; undefined where none was read. */
export function vectorAt({ bounds, vectors }: TextEncoding, offset: number): Float32Array | undefined {
  let [low, high] = [0, bounds.length / 2 - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (offset < (bounds[2 * middle] ?? 0)) high = middle - 1;
    else if (offset >= (bounds[2 * middle + 1] ?? 0)) low = middle + 1;
    else {
      const vector = vectors.subarray(middle * DIMENSIONS, (middle + 1) * DIMENSIONS);
      return vector.some((number) => number !== 0) ? vector : undefined;
    }
  }
  return undefined;
}
