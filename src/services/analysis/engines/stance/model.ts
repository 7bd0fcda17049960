import { z } from 'zod';
import { softmax } from '../../../../text/linear.ts';
import type { Relations } from '../../../../text/statement/relations.ts';
import { confidenceFactor, scaleConfidence } from './confidence-scaling.ts';
import { callsUntrue } from './doubt.ts';
import { type EncodedStatement, SAME_NEGATION, STANCE_FEATURES, stanceFeatures } from './features.ts';

/** A probability that a passage supports a claim, refutes it, or does neither; they add up to 1. */
export type StanceProbabilities = readonly [supports: number, refutes: number, neither: number];

/**
 * Highest probability of support where only one side denies: the rows have few such pairs and none like "There is no evidence that ...",
 * which the regression takes for support with 0.9 and more.
 */
const MOST_WHERE_DENIED = 0.5;

const numbers = z.array(z.number()).length(STANCE_FEATURES);

/** Softmax regression over standardised features, softened where it is surer than right. */
export const stanceWeights = z.object({
  version: z.string(),
  mean: numbers,
  deviation: numbers,
  weights: z.tuple([numbers, numbers, numbers]),
  bias: z.tuple([z.number(), z.number(), z.number()]),
  temperature: z.number().positive(),
  sureness: z.object({ places: z.array(z.int().min(0)), weights: z.array(z.number()), bias: z.number() }),
});

/** The weights of models/stance-weights.json. */
export type StanceWeights = z.infer<typeof stanceWeights>;

/** Judges passages by features and vectors; the model card is models/stance.md. */
export interface StanceModel {
  readonly version: string;
  judge(claim: EncodedStatement, passage: readonly EncodedStatement[]): StanceProbabilities;
}

/** Makes the model of its weights. */
export function createStanceModel(model: StanceWeights, relations: Relations): StanceModel {
  return {
    version: model.version,
    judge: (claim, passage) => {
      const features = stanceFeatures(claim, passage, relations);
      const scores = model.weights.map((weights, stance) => {
        let sum = model.bias[stance] ?? 0;
        for (const [index, weight] of weights.entries())
          sum +=
            (weight * ((features[index] ?? 0) - (model.mean[index] ?? 0))) / (model.deviation[index] ?? 1);
        return sum;
      });
      const plain = softmax(Float64Array.from(scores), model.temperature);
      const factor = confidenceFactor(model.sureness, model, features);
      const [supports = 0, refutes = 0, neither = 0] = scaleConfidence([...plain], factor);
      if (features[SAME_NEGATION] === 1 && !callsUntrue(claim, passage)) return [supports, refutes, neither];
      const kept = Math.min(supports, MOST_WHERE_DENIED);
      return [kept, refutes, neither + supports - kept];
    },
  };
}
