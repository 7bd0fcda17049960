import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { loadTextClassifier, type TextClassifier } from '../../../../text/text-classifier.ts';
import type { TextEncoding } from '../encoding/text-encoding.ts';

/** A stretch of the text that was read, in UTF-16 units; `end` is behind it. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** An article as the document model reads it. */
export interface ArticleText {
  /** The text as a person reads it, with its headline where that stands inside. */
  readonly text: string;
  /** Where the headline stands in what was encoded; undefined where it stands outside. */
  readonly headline: Stretch | undefined;
  readonly encoding: TextEncoding | undefined;
}

/** Numbers that the model reads of an article: those of its headline, and the mean and the spread of those of its body. */
export const ARTICLE_NUMBERS = 3 * DIMENSIONS;

/** The feature vector of an article; undefined where its headline or its body was not encoded. */
export function articleVector({ headline, encoding }: Omit<ArticleText, 'text'>): Float32Array | undefined {
  if (headline === undefined || encoding === undefined) return undefined;
  const { bounds, vectors } = encoding;
  const row = new Float32Array(ARTICLE_NUMBERS);
  const [title, mean, spread] = [0, 1, 2].map((part) =>
    row.subarray(part * DIMENSIONS, (part + 1) * DIMENSIONS),
  ) as [Float32Array, Float32Array, Float32Array];
  const squares = new Float64Array(DIMENSIONS);
  let [lines, sentences] = [0, 0];
  for (let index = 0; index < bounds.length / 2; index += 1) {
    const isTitle =
      (bounds[2 * index] as number) < headline.end && (bounds[2 * index + 1] as number) > headline.start;
    const part = isTitle ? title : mean;
    if (isTitle) lines += 1;
    else sentences += 1;
    for (let at = 0; at < DIMENSIONS; at += 1) {
      const number = vectors[index * DIMENSIONS + at] as number;
      part[at] = (part[at] as number) + number;
      if (!isTitle) squares[at] = (squares[at] as number) + number * number;
    }
  }
  if (lines === 0 || sentences === 0) return undefined;
  for (let at = 0; at < DIMENSIONS; at += 1) {
    title[at] = (title[at] as number) / lines;
    mean[at] = (mean[at] as number) / sentences;
    spread[at] = Math.sqrt(Math.max(0, (squares[at] as number) / sentences - (mean[at] as number) ** 2));
  }
  return row;
}

/** Reads whole articles. */
export interface ArticleModel {
  readonly name: string;
  readonly version: string;
  /** The chance, 0 to 1, that an article takes sides; by its words alone where its headline or its body was not encoded. */
  oneSided(article: ArticleText): number;
}

/** The label of models/articles-en.bin. */
export const HYPERPARTISAN_LABEL = 'hyperpartisan';

/** Loads the model of English articles. */
export function loadArticleModel(bytes: Uint8Array): ArticleModel {
  const classifier: TextClassifier = loadTextClassifier(bytes);
  return {
    name: classifier.name,
    version: classifier.version,
    oneSided: (article) =>
      classifier.classify(article.text, articleVector(article)).shares[HYPERPARTISAN_LABEL] ?? 0,
  };
}
