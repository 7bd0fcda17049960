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

/** Encodes a text once; `language` is ISO 639-1, and tells Romanian from what is read as English. Linear in its length. */
export function encodingOf(
  encoder: Pick<Encoder, 'encode'>,
  { text, language }: { readonly text: string; readonly language: string },
): TextEncoding {
  const sentences = sentencesOf(readable(text).text).slice(0, MOST_SENTENCES);
  const bounds = new Uint32Array(new SharedArrayBuffer(8 * sentences.length));
  const vectors = new Float32Array(new SharedArrayBuffer(4 * DIMENSIONS * sentences.length));
  const quotes = sentences.map((sentence) => sentence.text);
  encoder.encode(quotes, knownLanguage(language)).forEach(({ vector }, index) => {
    bounds.set([sentences[index]?.start ?? 0, sentences[index]?.end ?? 0], 2 * index);
    if (vector !== null) vectors.set(vector, index * DIMENSIONS);
  });
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
