import { z } from 'zod';
import { linearScore, sigmoid } from '../logistic.ts';
import { type Comparison, compareStatements } from './comparison.ts';
import type { Relations } from './relations.ts';
import type { Statement } from './statement.ts';

/** The match of a claim with a stored one. */
export interface Match {
  /** Probability that readers would call the two claims the same or nearly so, 0 to 1. */
  readonly similarity: number;
  /** Nothing that decides a claim differs: what was found on the one holds for the other. */
  readonly isSame: boolean;
  /** The claim says the same of a place or a group alone: what refutes the stored one refutes it too. */
  readonly isNarrower: boolean;
}

/** Weights of `similarity`, in the order of `featuresOf`, the constant last: models/claim-match-weights.json. */
export const matchWeights = z.object({ version: z.string(), weights: z.array(z.number()) });

/** Weights of `similarity`. */
export type MatchWeights = z.infer<typeof matchWeights>;

/** A statement of fewer content words says too little to be distinguished from others. */
const FEWEST_WORDS = 2;

/** What `similarity` is made of: cosine, shares of common words, and what differs. */
export function featuresOf(cosine: number, comparison: Comparison): number[] {
  const { covered, sameQuantities, sameNegation, sameCues, sameOrder, opposites } = comparison;
  const flag = (value: boolean) => (value ? 1 : 0);
  return [
    cosine,
    Math.min(...covered),
    Math.max(...covered),
    flag(sameQuantities),
    flag(sameNegation),
    flag(sameCues),
    flag(sameOrder),
    Math.min(opposites, 1),
    1,
  ];
}

/** Numbers, dates, denials, marks of amount and possibility, and the order of what is named agree. */
function agrees(one: Statement, other: Statement, comparison: Comparison): boolean {
  const { sameQuantities, sameNegation, sameCues, sameOrder } = comparison;
  const enough = Math.min(one.words.length, other.words.length) >= FEWEST_WORDS;
  return enough && sameQuantities && sameNegation && sameCues && sameOrder;
}

/** Whether nothing that decides a claim differs: what was found on the one holds for the other. */
export function areEquivalent(one: Statement, other: Statement, relations: Relations): boolean {
  const comparison = compareStatements(one, other, relations);
  return agrees(one, other, comparison) && comparison.covered.every((share) => share === 1);
}

/** Compares two claims; `cosine` is that of their vectors. */
export function matchClaims(
  one: Statement,
  other: Statement,
  cosine: number,
  { relations, model }: { readonly relations: Relations; readonly model: MatchWeights },
): Match {
  const comparison = compareStatements(one, other, relations);
  const features = featuresOf(cosine, comparison);
  const score = linearScore(model.weights, features);
  // Every content word of each side has its counterpart.
  const isAgreed = agrees(one, other, comparison);
  return {
    similarity: sigmoid(score),
    isSame: isAgreed && comparison.covered.every((share) => share === 1),
    isNarrower: isAgreed && comparison.covered[1] === 1 && comparison.isNarrower,
  };
}
