import {
  type ConfidenceLevel,
  type RiskCategory,
  rowAt,
  type VerdictRules,
  type ViralityLevel,
} from '../../resources/verdict-rules.ts';

/** The band of a stored one-decimal risk score, 0 to 100. */
export function bandOf(rules: VerdictRules, riskScore: number): RiskCategory {
  return rowAt(rules.risk_bands, riskScore);
}

/**
 * The band on a re-run with the same input: the earlier one stays until the score lies more than
 * `band_hysteresis_points` beyond its edge. Without an earlier band it is the band of the score.
 */
export function bandWithHysteresis(
  rules: VerdictRules,
  riskScore: number,
  previousCategory: string | undefined,
): RiskCategory {
  const bands = rules.risk_bands;
  const at = bands.findIndex((band) => band.risk_category === previousCategory);
  const previous = bands[at];
  if (previous === undefined) return bandOf(rules, riskScore);
  const margin = rules.band_hysteresis_points;
  const above = bands[at + 1]?.min ?? Number.POSITIVE_INFINITY;
  const stays = riskScore >= previous.min - margin && riskScore <= above + margin;
  return stays ? previous : bandOf(rules, riskScore);
}

/** Points from a risk score to the nearest edge between two bands. */
export function distanceToEdge(rules: VerdictRules, riskScore: number): number {
  const edges = rules.risk_bands.slice(1).map((band) => band.min);
  return Math.min(...edges.map((edge) => Math.abs(riskScore - edge)));
}

/** Code of the confidence level of a confidence, 0 to 1. */
export function confidenceLevelOf(rules: VerdictRules, confidence: number): ConfidenceLevel {
  return rowAt(rules.confidence_levels, confidence).code;
}

/** A verdict with the lowest confidence level is inconclusive. */
export function isTooUncertain(rules: VerdictRules, confidence: number): boolean {
  return confidenceLevelOf(rules, confidence) === rules.confidence_levels[0]?.code;
}

/** Code of the virality level of a virality score, 0 to 100. */
export function viralityLevelOf(rules: VerdictRules, viralityScore: number): ViralityLevel {
  return rowAt(rules.virality_levels, viralityScore).code;
}
