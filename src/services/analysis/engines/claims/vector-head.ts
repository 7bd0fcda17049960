import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { packageFile } from '../../../../foundation/files.ts';
import { dotProduct } from '../../../../text/dot-product.ts';
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { sigmoid } from '../../../../text/logistic.ts';
import { vectorWeights } from '../../../../text/number-lists.ts';

const pair = z.tuple([z.number(), z.number()]);
const direction = vectorWeights(DIMENSIONS);
/** Shares of the score of the wording and of that of the vector, and a constant, for each of the two labels. */
const mixSchema = z.object({
  own: pair,
  encoder: pair,
  bias: pair,
  /** Chance from which a sentence counts as check-worthy. */
  threshold: z.number(),
});
const modelSchema = z.object({
  name: z.string(),
  version: z.string(),
  /** Weights for the vector of a sentence, and a constant, for check-worthy and factual. */
  weights: z.tuple([direction, direction]),
  bias: pair,
  /** With the model of English wording, and with the one of cues. */
  words: mixSchema,
  cues: mixSchema,
});

/** Weights for the vector of a sentence, and for combining its score with that of the wording (models/claims-vector-weights.json). */
export type VectorHead = z.infer<typeof modelSchema>;

/** Loads the shipped weights. */
export function loadVectorHead(): VectorHead {
  return modelSchema.parse(
    JSON.parse(readFileSync(packageFile('models', 'claims-vector-weights.json'), 'utf8')),
  );
}

/** Log-odds by the vector alone. */
export function vectorScore(head: VectorHead, label: 0 | 1, vector: Float32Array): number {
  const weights = head.weights[label];
  return head.bias[label] + dotProduct(weights, vector);
}

/** Probability by wording and vector together; `own` is the raw score of the wording. */
export function combinedProbability(
  head: VectorHead,
  way: 'words' | 'cues',
  label: 0 | 1,
  own: number,
  vector: Float32Array,
): number {
  const mix = head[way];
  return sigmoid(
    mix.own[label] * own + mix.encoder[label] * vectorScore(head, label, vector) + mix.bias[label],
  );
}
