import { roundTo } from '../../../foundation/numbers.ts';

/** Noisy-or: the probability of at least one of several independent signs, 1 - product of (1 - probability). */
export function noisyOr(chances: readonly number[]): number {
  return 1 - chances.reduce((absent, chance) => absent * (1 - chance), 1);
}

/** Weights of the passages of one technique, changed alike so that together they count `factor` times (0 to 1) as much. */
export function scaledWeights(weights: readonly number[], factor: number): number[] {
  if (factor >= 1) return [...weights];
  const q = noisyOr(weights);
  if (q <= 0 || q >= 1) return weights.map((weight) => weight * factor);
  const power = Math.log1p(-factor * q) / Math.log1p(-q);
  return weights.map((weight) => 1 - (1 - weight) ** power);
}

/** A passage of a technique, as its weight needs it. */
export interface WeightedPassage {
  readonly confidence?: number | undefined;
  readonly weight?: number | undefined;
}

/** A technique with its passages, as its weight needs it. */
export interface WeightedFinding {
  readonly confidence: number;
  readonly spans: readonly WeightedPassage[];
}

/** How much a passage counts in manipulation_score, 0 to 1: its weight; without one its confidence, or that of its finding. */
export function passageWeight(passage: WeightedPassage, { confidence }: Pick<WeightedFinding, 'confidence'>) {
  return passage.weight ?? passage.confidence ?? confidence;
}

/** How much a technique counts in manipulation_score: q = 1 - product over its passages of (1 - weight), 0 to 1, four places. */
export function findingWeight(finding: WeightedFinding): number {
  const q = noisyOr(finding.spans.map((passage) => passageWeight(passage, finding)));
  return roundTo(q, 4);
}

/** Orders findings: by severity times weight, then by severity times confidence, the highest first; then by code. */
export function byWeight(one: OrderedFinding, other: OrderedFinding): number {
  return (
    other.severity * findingWeight(other) - one.severity * findingWeight(one) ||
    other.severity * other.confidence - one.severity * one.confidence ||
    (one.code < other.code ? -1 : 1)
  );
}

interface OrderedFinding extends WeightedFinding {
  readonly code: string;
  readonly severity: number;
}

/** The passages of a finding that count in manipulation_score. */
export function countedPassages<Passage extends WeightedPassage>(
  finding: Pick<WeightedFinding, 'confidence'> & { readonly spans: readonly Passage[] },
): Passage[] {
  return finding.spans.filter((passage) => passageWeight(passage, finding) > 0);
}
