import { dotProduct } from '../../../../text/dot-product.ts';
import type { Encoder } from '../../../../text/encoder/encoder.ts';
import type { Gloss } from '../../../../text/encoder/gloss.ts';
import { encodeText, passagesOf } from '../../../../text/encoder/passages.ts';
import type { Vocabulary } from '../../../../text/vocabulary.ts';
import type { PartResult } from '../document-parts.ts';
import { type Language, rerankTermsOf } from './terms.ts';

/** The models that queries and passages are read with. */
export interface ScoringModels {
  readonly encoder: Encoder;
  readonly gloss: Gloss;
  readonly vocabulary: Vocabulary;
}

/** A query with its vector and its words, ready to be matched with passages. */
export interface PreparedQuery {
  readonly language: Language;
  readonly vector: Float32Array | null;
  /** Index of a query word by each of its keys. */
  readonly words: ReadonlyMap<string, number>;
  /** Surprise of each query word in ordinary text, in nats. */
  readonly surprise: readonly number[];
  readonly tokens: number;
}

/** How a passage matches a query: shared words, and nearness of meaning. */
export interface PassageMatch {
  readonly language: Language;
  /** Number of words in the passage. */
  readonly length: number;
  /** How often each query word occurs, at most 255. */
  readonly counts: Uint8Array;
  /** Nearness of meaning, 0 to 1. */
  readonly cosine: number;
}

/** Surprise of a word that the vocabulary lacks, in nats: that of its rarest words. */
const UNKNOWN_SURPRISE = 14;
/** Most words of a query that are matched. */
const MOST_WORDS = 256;
const HIGHEST_COUNT = 255;
/** Encoder pieces per passage of a long text; in longer passages the vector no longer reflects a single sentence. */
const PASSAGE_PIECES = 64;

/** Prepares a query; repeated words count once. */
export function prepareQuery(tools: ScoringModels, text: string): PreparedQuery {
  const language = tools.encoder.languageOf(text);
  const words = new Map<string, number>();
  const surprise: number[] = [];
  for (const { keys, folded } of rerankTermsOf(tools.gloss, text, language)) {
    if (surprise.length === MOST_WORDS) break;
    if (keys.some((key) => words.has(key))) continue;
    for (const key of keys) words.set(key, surprise.length);
    surprise.push(surpriseOf(tools.vocabulary, folded));
  }
  const { vector, pieces } = encodeText(tools.encoder, text, language);
  return { language, vector, words, surprise, tokens: pieces };
}

/** The highest surprise among words that are separated by spaces. */
function surpriseOf(vocabulary: Vocabulary, words: string): number {
  return Math.max(...words.split(' ').map((word) => vocabulary.surprise(word) ?? UNKNOWN_SURPRISE));
}

/** Matches the first passages of a text with a query. */
export function matchPassages(
  { encoder, gloss }: ScoringModels,
  query: PreparedQuery,
  text: string,
  mostPassages: number,
): PartResult<PassageMatch> {
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
      cosine: Math.max(0, cosine(query.vector, encoded[index]?.vector ?? null)),
    })),
    tokens: encoded.reduce((sum, { pieces }) => sum + pieces, 0),
  };
}

function countWords(gloss: Gloss, query: PreparedQuery, text: string, language: Language) {
  const counts = new Uint8Array(query.surprise.length);
  const terms = rerankTermsOf(gloss, text, language);
  for (const { keys } of terms) {
    const key = keys.find((one) => query.words.has(one));
    const word = key === undefined ? undefined : query.words.get(key);
    if (word !== undefined) counts[word] = Math.min(HIGHEST_COUNT, (counts[word] ?? 0) + 1);
  }
  return { length: terms.length, counts };
}

/** The cosine of two vectors; 0 where one is missing. */
function cosine(one: Float32Array | null, other: Float32Array | null): number {
  return one === null || other === null ? 0 : dotProduct(one, other);
}
