import { z } from 'zod';
import { scoreRow } from '../../../../text/boosted-trees.ts';
import { softmax } from '../../../../text/linear.ts';
import { sigmoid } from '../../../../text/logistic.ts';
import {
  CONFIDENCE_LENGTHS,
  confidenceFactor,
  confidenceInputs,
  scaleConfidence,
} from './confidence-scaling.ts';
import { callsUntrue } from './doubt.ts';
import { type EncodedStatement, SAME_NEGATION, STANCE_FEATURES, stanceFeatures } from './features.ts';
import type { MeaningTables } from './meanings.ts';

/** A probability that a passage supports a claim, refutes it, or does neither; they add up to 1. */
export type StanceProbabilities = readonly [supports: number, refutes: number, neither: number];

/**
 * Highest probability of support where only one side denies: the rows have few such pairs and none like "There is no evidence that ...",
 * which the regression takes for support with 0.9 and more.
 */
const MOST_WHERE_DENIED = 0.5;

const numbers = z.array(z.number()).length(STANCE_FEATURES);
const inputs = z.array(z.number()).length(STANCE_FEATURES + CONFIDENCE_LENGTHS);
const boostedTrees = z.object({
  bias: z.number(),
  starts: z.array(z.int().min(0)),
  features: z.array(
    z
      .int()
      .min(-1)
      .max(STANCE_FEATURES - 1),
  ),
  thresholds: z.array(z.number()),
  lefts: z.array(z.int().min(0)),
  rights: z.array(z.int().min(0)),
});

/** Trees and a softmax regression over the same features; their combined log-odds are scaled down where they are overconfident. */
export const stanceWeights = z.object({
  version: z.string(),
  mean: numbers,
  deviation: numbers,
  weights: z.tuple([numbers, numbers, numbers]),
  bias: z.tuple([z.number(), z.number(), z.number()]),
  /** Log-odds that a passage does neither. */
  neither: boostedTrees,
  /** Log-odds that one which does something refutes. */
  refutes: boostedTrees,
  temperature: z.number().positive(),
  sureness: z.object({ mean: inputs, deviation: inputs, weights: inputs, bias: z.number() }),
});

/** The weights of models/stance-weights.json. */
export type StanceWeights = z.infer<typeof stanceWeights>;

/** Judges passages by features and vectors; the model card is models/stance.md. */
export interface StanceModel {
  readonly version: string;
  judge(claim: EncodedStatement, passage: readonly EncodedStatement[]): StanceProbabilities;
}

type Regression = Readonly<Record<'mean' | 'deviation' | 'bias', ArrayLike<number>>> & {
  readonly weights: readonly ArrayLike<number>[];
};

/** The scores of the regression: log-odds of the three stances, up to a number that they share. */
export function regressionScores(
  { mean, deviation, weights, bias }: Regression,
  features: ArrayLike<number>,
): number[] {
  return weights.map((row, stance) => {
    let sum = bias[stance] ?? 0;
    for (let index = 0; index < row.length; index++)
      sum += ((row[index] ?? 0) * ((features[index] ?? 0) - (mean[index] ?? 0))) / (deviation[index] ?? 1);
    return sum;
  });
}

/** Share of the trees in the log-odds; the rest is the regression's. */
const TREES = 0.7;
const LEAST_PROBABILITY = 1e-9;

/** The probabilities of supports, refutes and neither by trees and regression together, before their confidence is scaled. */
export function plainProbabilities(
  model: Regression & Pick<StanceWeights, 'neither' | 'refutes'>,
  features: ArrayLike<number>,
): number[] {
  const neither = sigmoid(scoreRow(model.neither, features));
  const refutes = sigmoid(scoreRow(model.refutes, features));
  const byTrees = [(1 - neither) * (1 - refutes), (1 - neither) * refutes, neither];
  const byRegression = regressionScores(model, features);
  const scores = byTrees.map(
    (value, stance) =>
      TREES * Math.log(Math.max(LEAST_PROBABILITY, value)) + (1 - TREES) * (byRegression[stance] ?? 0),
  );
  return [...softmax(Float64Array.from(scores))];
}

/** Makes the model of its weights. */
export function createStanceModel(model: StanceWeights, tables: MeaningTables): StanceModel {
  return {
    version: model.version,
    judge: (claim, passage) => {
      const features = stanceFeatures(claim, passage, tables);
      const factor =
        confidenceFactor(model.sureness, confidenceInputs(features, claim, passage)) / model.temperature;
      const plain = plainProbabilities(model, features);
      const [supports = 0, refutes = 0, neither = 0] = scaleConfidence(plain, factor);
      if (features[SAME_NEGATION] === 1 && !callsUntrue(claim, passage)) return [supports, refutes, neither];
      const kept = Math.min(supports, MOST_WHERE_DENIED);
      return [kept, refutes, neither + supports - kept];
    },
  };
}
