import type { Encoder, EncoderLanguage, SentenceWithUpperLayers } from '../../../../text/encoder/encoder.ts';
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { sentencesOf } from '../../../../text/sentences.ts';
import { withoutSpeakers } from '../../../../text/speaker-labels.ts';
import { toPlainText } from '../plain-text.ts';

/**
 * What the sentence encoder says of a text, for all detectors: one pass over the text as a person reads it (`toPlainText`).
 * The numbers lie in memory that threads share.
 */
export interface TextEncoding {
  /** First and last UTF-16 offset of each sentence that was read, one pair after the other, ascending. */
  readonly bounds: Uint32Array;
  /** 512 numbers a sentence, of length 1, or zeros where there was nothing to read. */
  readonly vectors: Float32Array;
  /** Scores of the second upper layer for the pieces; English only. */
  readonly pieces?: PieceScores | undefined;
  /** One number a sentence: log-odds that its text presses its reader, by the upper layer that reads whole texts; NaN where it did not read. */
  readonly whole?: Float32Array | undefined;
}

/** The pieces of all sentences that were read, in their order. */
export interface PieceScores {
  /** First and last UTF-16 offset of each piece, one pair after the other, ascending. */
  readonly bounds: Uint32Array;
  readonly columns: number;
  /** `columns` numbers a piece. */
  readonly numbers: Float32Array;
}

/** A text of more sentences is encoded up to here: about 50,000 characters; detectors read the rest by words alone. */
const MOST_SENTENCES = 480;

/** The sentences of a text that are encoded. */
interface EncodableSentences {
  /** As in `TextEncoding`. */
  readonly bounds: Uint32Array;
  /** The words of each, as a person reads them; who speaks in a written conversation is blank. */
  readonly quotes: readonly string[];
}

/** Cuts a text into the sentences that are encoded. Linear in its length. */
export function encodableSentences(text: string): EncodableSentences {
  const sentences = sentencesOf(toPlainText(text).text).slice(0, MOST_SENTENCES);
  const bounds = shared(Uint32Array, 2 * sentences.length);
  sentences.forEach(({ start, end }, index) => {
    bounds.set([start, end], 2 * index);
  });
  return { bounds, quotes: withoutSpeakers(sentences.map((sentence) => sentence.text)) };
}

/** What encodes a text; only one with further upper layers reads pieces, and sentences for the whole text. */
type TextEncoder = Pick<Encoder, 'encode'> &
  Partial<Pick<Encoder, 'encodeWithUpperLayers' | 'upperColumns' | 'readsWholeTexts'>>;

/** Vectors and piece scores of some sentences. */
export interface SentenceEncodings {
  /** 512 numbers a sentence. */
  readonly vectors: Float32Array;
  /** Pieces of all of them, placed from the start of their own sentence, and how many each has. */
  readonly pieces?: (PieceScores & { readonly counts: readonly number[] }) | undefined;
  /** One number a sentence. */
  readonly whole?: Float32Array | undefined;
}

/** Of a long text the layer for whole texts reads about so many sentences, spread evenly: it adds to the cost of all others. */
const READ_FOR_WHOLE = 16;

/** Whether the layer for whole texts reads the sentence at this place of a text of so many. */
export function isReadForWhole(at: number, of: number): boolean {
  return at % Math.ceil(of / READ_FOR_WHOLE) === 0;
}

/** Sentences of a text to encode. */
interface SentencesToEncode {
  readonly quotes: readonly string[];
  /** ISO 639-1: Romanian, anything else counts as English. */
  readonly language: string;
  /** Where the first of them stands in its text, and how many the text has; the text begins and ends with them where it is left out. */
  readonly part?: { readonly from: number; readonly of: number } | undefined;
}

/** Encodes sentences. */
export function encodeSentences(
  encoder: TextEncoder,
  { quotes, language, part = { from: 0, of: quotes.length } }: SentencesToEncode,
): SentenceEncodings {
  const vectors = shared(Float32Array, DIMENSIONS * quotes.length);
  const own = knownLanguage(language);
  const { upperColumns = 0, readsWholeTexts = false } = encoder;
  const columns = own === 'en' ? upperColumns : 0;
  const isClose = own !== undefined && (columns > 0 || readsWholeTexts);
  const close = isClose
    ? encoder.encodeWithUpperLayers?.(quotes, own, (index) => isReadForWhole(part.from + index, part.of))
    : undefined;
  (close ?? encoder.encode(quotes, own)).forEach(({ vector }, index) => {
    if (vector !== null) vectors.set(vector, index * DIMENSIONS);
  });
  if (close === undefined) return { vectors };
  const whole = shared(Float32Array, quotes.length);
  whole.set(close.map((one) => one.whole));
  return {
    vectors,
    ...(columns > 0 && { pieces: piecesOf(quotes, close, columns) }),
    ...(readsWholeTexts && { whole }),
  };
}

function shared<List>(list: new (buffer: SharedArrayBuffer) => List, length: number): List {
  return new list(new SharedArrayBuffer(4 * length));
}

/** Gathers the pieces of sentences; their places are led from code points to UTF-16. */
function piecesOf(
  quotes: readonly string[],
  read: readonly SentenceWithUpperLayers[],
  columns: number,
): PieceScores & { counts: number[] } {
  const counts = read.map(({ pieces }) => pieces.length);
  const count = counts.reduce((sum, own) => sum + own, 0);
  const bounds = shared(Uint32Array, 2 * count);
  const numbers = shared(Float32Array, columns * count);
  let next = 0;
  read.forEach(({ pieces, upper }, index) => {
    const places = [0];
    for (const character of quotes[index] ?? '') places.push((places.at(-1) ?? 0) + character.length);
    numbers.set(upper, columns * next);
    for (const { start, end } of pieces) bounds.set([places[start] ?? 0, places[end] ?? 0], 2 * next++);
  });
  return { bounds, columns, numbers, counts };
}

/** Puts together what was read of the sentences of a text, in their order. */
function joinedEncoding(bounds: Uint32Array, parts: readonly SentenceEncodings[]): TextEncoding {
  const vectors = joinedLists(
    shared(Float32Array, (DIMENSIONS * bounds.length) / 2),
    parts.map((part) => part.vectors),
  );
  const scores = parts.flatMap(({ whole }) => whole ?? []);
  const whole =
    scores.length === 0 ? undefined : joinedLists(shared(Float32Array, bounds.length / 2), scores);
  return { bounds, vectors, pieces: joinedPieces(bounds, parts), whole };
}

/** The pieces of all parts, placed in the text; undefined where none were read. */
function joinedPieces(bounds: Uint32Array, parts: readonly SentenceEncodings[]): PieceScores | undefined {
  const read = parts.flatMap(({ pieces }) => pieces ?? []);
  const [first] = read;
  if (first === undefined) return undefined;
  const { columns } = first;
  const starts = read
    .flatMap(({ counts }) => counts)
    .flatMap((count, index) => new Array<number>(count).fill(bounds[2 * index] ?? 0));
  const places = joinedLists(
    shared(Uint32Array, 2 * starts.length),
    read.map((part) => part.bounds),
  );
  starts.forEach((start, piece) => {
    places[2 * piece] = (places[2 * piece] ?? 0) + start;
    places[2 * piece + 1] = (places[2 * piece + 1] ?? 0) + start;
  });
  const numbers = joinedLists(
    shared(Float32Array, columns * starts.length),
    read.map((part) => part.numbers),
  );
  return { bounds: places, columns, numbers };
}

function joinedLists<List extends Float32Array | Uint32Array>(all: List, parts: readonly List[]): List {
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Encodes a text at once. */
export function encodingOf(
  encoder: TextEncoder,
  { text, language }: { readonly text: string; readonly language: string },
): TextEncoding {
  const { bounds, quotes } = encodableSentences(text);
  return joinedEncoding(bounds, [encodeSentences(encoder, { quotes, language })]);
}

/** The parts of encoding a text, each short enough for one turn in a thread. */
export interface EncodingSteps {
  sentences(text: string): Promise<EncodableSentences>;
  vectors(input: Parameters<typeof encodeSentences>[1]): Promise<SentenceEncodings>;
}

/** Sentences that are encoded in one turn: about a tenth of a second of a processor. */
const SENTENCES_OF_TURN = 48;

/** Encodes a text turn by turn, so that a long one lets others through. The numbers are those of `encodingOf`. */
export async function encodeInSteps(
  steps: EncodingSteps,
  { text, language }: { readonly text: string; readonly language: string },
): Promise<TextEncoding> {
  const { bounds, quotes } = await steps.sentences(text);
  const parts: SentenceEncodings[] = [];
  for (let from = 0; from < quotes.length; from += SENTENCES_OF_TURN)
    parts.push(
      await steps.vectors({
        quotes: quotes.slice(from, from + SENTENCES_OF_TURN),
        language,
        part: { from, of: quotes.length },
      }),
    );
  return joinedEncoding(bounds, parts);
}

/** The language of those that the encoder reads, by a code that may name a region, too; undefined for others. */
export function knownLanguage(language: string): EncoderLanguage | undefined {
  const code = language.slice(0, 2).toLowerCase();
  return code === 'en' || code === 'ro' ? code : undefined;
}

/** The place among the sentences that were read of the one in which a UTF-16 offset lies; undefined where none was read. */
export function sentenceAt({ bounds }: TextEncoding, offset: number): number | undefined {
  let [low, high] = [0, bounds.length / 2 - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (offset < (bounds[2 * middle] ?? 0)) high = middle - 1;
    else if (offset >= (bounds[2 * middle + 1] ?? 0)) low = middle + 1;
    else return middle;
  }
  return undefined;
}

/** The vectors of all sentences that were read; zeros where there was nothing to read. */
export function vectorsOf({ bounds, vectors }: TextEncoding): Float32Array[] {
  return Array.from({ length: bounds.length / 2 }, (_, at) =>
    vectors.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS),
  );
}

/** The vector of the sentence in which a UTF-16 offset lies; undefined where none was read. */
export function vectorAt(encoding: TextEncoding, offset: number): Float32Array | undefined {
  const sentence = sentenceAt(encoding, offset);
  if (sentence === undefined) return undefined;
  const vector = encoding.vectors.subarray(sentence * DIMENSIONS, (sentence + 1) * DIMENSIONS);
  return vector.some((number) => number !== 0) ? vector : undefined;
}
