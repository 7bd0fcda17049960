import type { Encoder } from '../../../../text/encoder/encoder.ts';
import type { Gloss } from '../../../../text/encoder/gloss.ts';
import { encodeText, passagesOf } from '../../../../text/encoder/passages.ts';
import type { Vocabulary } from '../../../../text/vocabulary.ts';
import type { PartReading } from '../parts.ts';
import { type Language, termsOf } from './terms.ts';

/** What texts are read with. */
export interface ReadingTools {
  readonly encoder: Encoder;
  readonly gloss: Gloss;
  readonly vocabulary: Vocabulary;
}

/** A query, ready to be looked for in documents. */
export interface ReadQuery {
  readonly language: Language;
  readonly vector: Float32Array | null;
  /** Number of its word by each key of it. */
  readonly words: ReadonlyMap<string, number>;
  /** Surprise of each of its words in ordinary text, in nats. */
  readonly surprise: readonly number[];
  readonly tokens: number;
}

/** What a passage of a document has of a query. */
export interface PassageReading {
  readonly language: Language;
  /** Words of it. */
  readonly length: number;
  /** How often each word of the query stands in it. */
  readonly counts: Uint8Array;
  /** Nearness of meaning, 0 to 1. */
  readonly cosine: number;
}

/** Surprise of a word that the vocabulary lacks: the rarest of it are as rare. */
const UNKNOWN_SURPRISE = 14;
/** Words of a query that are looked for; a longer one says what it is about by then. */
const MOST_WORDS = 256;
const HIGHEST_COUNT = 255;
/** Pieces of a passage of a long text: in longer ones a sentence is lost among others. */
const PASSAGE_PIECES = 64;

/** Reads a query; equal words of it count once. */
export function readQuery(tools: ReadingTools, text: string): ReadQuery {
  const language = tools.encoder.languageOf(text);
  const words = new Map<string, number>();
  const surprise: number[] = [];
  for (const { keys, folded } of termsOf(tools.gloss, text, language)) {
    if (surprise.length === MOST_WORDS) break;
    if (keys.some((key) => words.has(key))) continue;
    for (const key of keys) words.set(key, surprise.length);
    surprise.push(surpriseOf(tools.vocabulary, folded));
  }
  const { vector, pieces } = encodeText(tools.encoder, text, language);
  return { language, vector, words, surprise, tokens: pieces };
}

/** The surprise of the rarest of some words. */
function surpriseOf(vocabulary: Vocabulary, words: string): number {
  return Math.max(...words.split(' ').map((word) => vocabulary.surprise(word) ?? UNKNOWN_SURPRISE));
}

/** Reads the first passages of a text for a query. */
export function readPassages(
  { encoder, gloss }: ReadingTools,
  query: ReadQuery,
  text: string,
  mostPassages: number,
): PartReading<PassageReading> {
  const language = encoder.languageOf(text);
  const [whole] = encoder.encode([text], language);
  const isWhole = whole !== undefined && !whole.truncated;
  const passages = isWhole
    ? [text]
    : passagesOf(text, (part) => encoder.count(part, language), PASSAGE_PIECES).slice(0, mostPassages);
  const encoded = isWhole ? [whole] : encoder.encode(passages, language);
  return {
    passages: passages.map((passage, index) => ({
      language,
      ...countWords(gloss, query, passage, language),
      cosine: Math.max(0, dot(query.vector, encoded[index]?.vector ?? null)),
    })),
    tokens: encoded.reduce((sum, { pieces }) => sum + pieces, 0),
  };
}

function countWords(gloss: Gloss, query: ReadQuery, text: string, language: Language) {
  const counts = new Uint8Array(query.surprise.length);
  const terms = termsOf(gloss, text, language);
  for (const { keys } of terms) {
    const key = keys.find((one) => query.words.has(one));
    const word = key === undefined ? undefined : query.words.get(key);
    if (word !== undefined) counts[word] = Math.min(HIGHEST_COUNT, (counts[word] ?? 0) + 1);
  }
  return { length: terms.length, counts };
}

function dot(one: Float32Array | null, two: Float32Array | null): number {
  if (one === null || two === null) return 0;
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (two[index] ?? 0);
  return sum;
}
