import { z } from 'zod';
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { FeatureHasher } from '../../../../text/features.ts';
import { createGaussianKernel, gaussianKernel, meanDirection } from '../../../../text/gaussian-kernel.ts';
import { loadLinear, margins } from '../../../../text/linear.ts';
import { sigmoid } from '../../../../text/logistic.ts';
import { textFeatures } from '../../../../text/text-classifier.ts';
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
  /** Where the headline stands in what was encoded; undefined where it stands outside or there is none. */
  readonly headline: Stretch | undefined;
  readonly encoding: TextEncoding | undefined;
}

/** The directions of an article's meaning: 512 numbers of length 1 each. */
export interface ArticleDirections {
  readonly headline: Float64Array;
  readonly body: Float64Array;
}

/**
 * The directions of an article, whose first sentence stands in for a headline that does not stand in it; undefined where its headline
 * or its body was not encoded.
 */
export function articleDirections({
  headline,
  encoding,
}: Omit<ArticleText, 'text'>): ArticleDirections | undefined {
  if (encoding === undefined) return undefined;
  const { bounds, vectors } = encoding;
  const { start, end } = headline ?? { start: bounds[0] ?? 0, end: bounds[1] ?? 0 };
  const lines: Float32Array[] = [];
  const sentences: Float32Array[] = [];
  for (let index = 0; index < bounds.length / 2; index += 1) {
    const isTitle = (bounds[2 * index] as number) < end && (bounds[2 * index + 1] as number) > start;
    (isTitle ? lines : sentences).push(vectors.subarray(index * DIMENSIONS, (index + 1) * DIMENSIONS));
  }
  if (lines.length === 0 || sentences.length === 0) return undefined;
  return { headline: meanDirection(lines), body: meanDirection(sentences) };
}

/** Reads whole articles. */
export interface ArticleModel {
  readonly name: string;
  readonly version: string;
  /** The chance, 0 to 1, that an article takes sides; undefined where its headline or its body was not encoded. */
  oneSided(article: ArticleText): number | undefined;
}

const directionKernel = gaussianKernel.extend({
  /** Mean of the articles of training, which is taken from a direction. */
  centre: z.array(z.number()).length(DIMENSIONS),
});

/** What stands in the header of models/articles-en.bin beside the weights of the words. */
const parametersSchema = z.object({
  headline: directionKernel,
  body: directionKernel,
  /** Turns the sum of words and likeness into log-odds. */
  calibration: z.object({ slope: z.number(), intercept: z.number() }),
});

/** What stands in the header of models/articles-en.bin beside the weights of the words. */
export type ArticleParameters = z.infer<typeof parametersSchema>;

/** Label of models/articles-en.bin. */
export const ARTICLE_LABELS = ['hyperpartisan'] as const;

function directionReader(model: ArticleParameters['body']): (direction: Float64Array) => number {
  const likeness = createGaussianKernel(model);
  return (direction) => likeness(direction.map((value, at) => value - (model.centre[at] as number)));
}

/** Loads the model of English articles. */
export function loadArticleModel(bytes: Uint8Array): ArticleModel {
  const model = loadLinear(bytes);
  const { headline, body, calibration } = parametersSchema.parse(model.header.parameters);
  const [readHeadline, readBody] = [directionReader(headline), directionReader(body)];
  const hasher = new FeatureHasher(model.header.bits);
  const { name, version } = model.header;
  return {
    name,
    version,
    oneSided: (article) => {
      const directions = articleDirections(article);
      if (directions === undefined) return undefined;
      const [words = 0] = margins(model, textFeatures(hasher, article.text));
      const sum = words + readHeadline(directions.headline) + readBody(directions.body);
      return sigmoid(calibration.slope * sum + calibration.intercept);
    },
  };
}
