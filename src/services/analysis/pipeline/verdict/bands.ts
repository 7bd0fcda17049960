import verdictRules from '../../../../../data/taxonomy/verdict.json' with { type: 'json' };
import type { Band } from './rules.ts';

/** The last row whose `min` is not above the value; the rows ascend. */
function rowAt<Row extends { min: number }>(rows: readonly Row[], value: number): Row {
  const row = rows.findLast((candidate) => candidate.min <= value) ?? rows[0];
  if (row === undefined) throw new Error('no rows to look up');
  return row;
}

/** The band of a stored one-decimal risk score, 0 to 100. */
export function bandOf(riskScore: number): Band {
  return rowAt(verdictRules.risk_bands, riskScore);
}

/**
 * The band on a re-run with the same input: the earlier one stays until the score lies more than
 * `band_hysteresis_points` beyond its edge. Without an earlier band it is the band of the score.
 */
export function steadyBandOf(riskScore: number, previousCategory: string | undefined): Band {
  const bands = verdictRules.risk_bands;
  const at = bands.findIndex((band) => band.risk_category === previousCategory);
  const previous = bands[at];
  if (previous === undefined) return bandOf(riskScore);
  const margin = verdictRules.band_hysteresis_points;
  const above = bands[at + 1]?.min ?? Number.POSITIVE_INFINITY;
  const stays = riskScore >= previous.min - margin && riskScore <= above + margin;
  return stays ? previous : bandOf(riskScore);
}

/** The category for too few checks or too little confidence. */
export const INCONCLUSIVE: Band = verdictRules.inconclusive;

/** Points from a risk score to the nearest edge between two bands. */
export function distanceToEdge(riskScore: number): number {
  const edges = verdictRules.risk_bands.slice(1).map((band) => band.min);
  return Math.min(...edges.map((edge) => Math.abs(riskScore - edge)));
}

/** Code of the confidence level of a confidence, 0 to 1. */
export function confidenceLevelOf(confidence: number): string {
  return rowAt(verdictRules.confidence_levels, confidence).code;
}

/** A verdict with the lowest confidence level is inconclusive. */
export function isTooUncertain(confidence: number): boolean {
  return confidenceLevelOf(confidence) === verdictRules.confidence_levels[0]?.code;
}

/** Code of the virality level of a virality score, 0 to 100. */
export function viralityLevelOf(viralityScore: number): string {
  return rowAt(verdictRules.virality_levels, viralityScore).code;
}
