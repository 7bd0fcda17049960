import { clamp } from '../../../../foundation/numbers.ts';
import { SCORES, type ScoreName, type VerdictProfile } from '../../resources/verdict-config.ts';
import { type Outcomes, RELIABILITY } from '../../session/outcome.ts';
import { type Scores, valuesByScore } from './scores.ts';

/** Weights are stored to four places: their unit is one ten-thousandth. */
const UNITS = 10_000;

export type Weights = Record<ScoreName, number>;

/** Reliability factor behind each score; context is computed here and always counts in full. */
export function reliabilities(outcomes: Outcomes): Weights {
  return valuesByScore<number>(outcomes, RELIABILITY.planned, (outcome) =>
    outcome.state === 'ran' ? RELIABILITY[outcome.reliability] : 0,
  );
}

/**
 * applied_weights_k = w_k * r_k / sum over used j of w_j * r_j, to four places by largest remainder (ties by the order
 * of SCORES), so that the ten-thousandths sum to exactly 10000. Undefined when no used score carries weight.
 */
export function appliedWeights(
  profile: VerdictProfile,
  scores: Scores,
  reliability: Weights,
): Weights | undefined {
  const raw = SCORES.map((name) => (scores[name] === null ? 0 : profile.weights[name] * reliability[name]));
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  if (total <= 0) return undefined;
  const exact = raw.map((weight) => (weight / total) * UNITS);
  const units = exact.map(Math.floor);
  const missing = UNITS - units.reduce((sum, unit) => sum + unit, 0);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of byRemainder.slice(0, missing)) units[index] = (units[index] ?? 0) + 1;
  return weightsByScore((_, index) => (units[index] ?? 0) / UNITS);
}

/** Sum of applied weights times scores, 0 to 100, unrounded; the clamp removes the error of binary fractions. */
export function weightedSum(weights: Weights, scores: Scores): number {
  const sum = SCORES.reduce((total, name) => total + weights[name] * (scores[name] ?? 0), 0);
  return clamp(sum, 0, 100);
}

/** Makes a record with one number for each score. */
export function weightsByScore(value: (name: ScoreName, index: number) => number): Weights {
  const [manipulation, claims, ai, source, context] = SCORES.map(value);
  return {
    manipulation: manipulation ?? 0,
    claims: claims ?? 0,
    ai: ai ?? 0,
    source: source ?? 0,
    context: context ?? 0,
  };
}
