import { z } from 'zod';
import { clamp } from '../../../../foundation/numbers.ts';
import { dotProduct } from '../../../../text/dot-product.ts';
import { linearScore, sigmoid } from '../../../../text/logistic.ts';
import { compareStatements } from '../../../../text/statement/comparison.ts';
import type { Relations } from '../../../../text/statement/relations.ts';
import type { EncodedStatement } from './features.ts';

/** A sentence with its vector of length 1. */
export type VectoredStatement = Pick<EncodedStatement, 'statement' | 'vector'>;

/** Probability from which a sentence speaks of the matter of a claim, which it may say or deny (models/claim-likeness.md). */
export const SPEAKS_OF = 0.7;
/** In fewer wordings a claim is not known well enough to be recognised by its meaning. */
export const LEAST_WORDINGS = 4;
/** Wordings whose words are compared, the nearest first. */
const COMPARED = 3;
/** Numbers of `likenessFeatures`. */
const LIKENESS_FEATURES = 11;

const largest = (list: readonly number[]) => Math.max(0, ...list);

/**
 * What tells whether a sentence speaks of the matter of a claim that is known in several wordings: the cosines of the three nearest and
 * the mean of all; the shares of content words in common (of the wording, of the sentence) at best and with the nearest, and their product; the language;
 * how long the sentence is.
 */
export function likenessFeatures(
  sentence: VectoredStatement,
  wordings: readonly VectoredStatement[],
  relations: Relations,
): number[] {
  const near = wordings
    .map(({ statement, vector }) => ({ statement, cosine: dotProduct(sentence.vector, vector) }))
    .toSorted((one, two) => two.cosine - one.cosine);
  const shares = near
    .slice(0, COMPARED)
    .map(({ statement }) => compareStatements(statement, sentence.statement, relations).covered);
  const [ofWording = 0, ofSentence = 0] = shares[0] ?? [];
  return [
    ...[0, 1, 2].map((place) => near[place]?.cosine ?? 0),
    near.reduce((sum, { cosine }) => sum + cosine, 0) / Math.max(1, near.length),
    largest(shares.map(([share]) => share)),
    largest(shares.map(([, share]) => share)),
    ofWording,
    ofSentence,
    ofWording * ofSentence,
    sentence.statement.language === 'ro' ? 1 : 0,
    sentence.statement.words.length,
  ];
}

const numbers = z.array(z.number()).length(LIKENESS_FEATURES);
/** Weights of models/claim-likeness.json, of features that are standardised and cut at `most` either way. */
export const likenessWeights = z.object({
  version: z.string(),
  mean: numbers,
  deviation: numbers,
  most: z.number().positive(),
  weights: numbers,
  bias: z.number(),
});

/** Weights of models/claim-likeness.json. */
export type LikenessWeights = z.infer<typeof likenessWeights>;

/** Features as the weights take them. */
export const standardised = (
  features: readonly number[],
  { mean, deviation, most }: Pick<LikenessWeights, 'mean' | 'deviation' | 'most'>,
): number[] =>
  features.map((value, at) => clamp((value - (mean[at] as number)) / (deviation[at] as number), -most, most));

/** Probability, 0 to 1, that a sentence speaks of the matter of a claim: says, denies or asks it, or states something else of it. */
export const likenessProbability = (features: readonly number[], model: LikenessWeights): number =>
  sigmoid(linearScore(model.weights, standardised(features, model), model.bias));
