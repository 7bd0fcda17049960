import techniques from '../../../../../data/taxonomy/techniques.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import { noisyOr, passageWeight, type WeightedFinding } from '../../resources/technique-weight.ts';

/** What the score needs of a finding: its code and how much each passage counts. */
export interface ScoredFinding extends WeightedFinding {
  readonly code: string;
}

/** The figures of the block techniques. */
export interface TechniquesSummary {
  /** 0 to 100, higher is worse, two places. */
  readonly manipulation_score: number;
  /** Sum of severity (1 to 5) times q over distinct codes. */
  readonly total_severity: number;
  /** Those of techniques with some weight. */
  readonly dimensions_affected: string[];
  /** Passages listed. */
  readonly techniques_count: number;
}

/** Constants of the manipulation score (the verdict's definition of score_manipulation). */
const formula = { wordsPerUnit: 250, steepness: 0.45, middleSeverity: 3, perDimension: 0.04 } as const;

const taxonomy = new Map(techniques.map((technique) => [technique.code, technique]));

/**
 * Score and totals over findings of any engine; findings of the same code count as one. M = 100 (1 - exp(-0.45 (d + sum of
 * (severity / 3) q) / sqrt(L))) (1 + 0.04 (dimensions - 1)), L = max(1, words / 250), at most 100; q = 1 - product over the
 * passages of a code of (1 - weight), dimensions those of codes with q above 0, d the weight of the diffuse evidence.
 */
export function summariseTechniques(
  findings: readonly ScoredFinding[],
  wordCount: number,
  diffuseWeight = 0,
): TechniquesSummary {
  const byCode = new Map<string, number[]>();
  for (const finding of findings) {
    const weights = finding.spans.map((passage) => passageWeight(passage, finding));
    byCode.set(finding.code, [...(byCode.get(finding.code) ?? []), ...weights]);
  }
  const weighted = [...byCode].map(([code, weights]) => {
    const technique = taxonomy.get(code);
    if (technique === undefined) throw new Error(`Unknown technique ${code}.`);
    return {
      severity: technique.severity,
      dimension: technique.dimension,
      share: noisyOr(weights),
      count: weights.length,
    };
  });
  const length = Math.max(1, wordCount / formula.wordsPerUnit);
  const load = weighted.reduce(
    (sum, { severity, share }) => sum + (severity / formula.middleSeverity) * share,
    diffuseWeight,
  );
  const counted = weighted.filter(({ share }) => share > 0);
  const dimensions = [...new Set(counted.map(({ dimension }) => dimension))].sort();
  const breadth = 1 + formula.perDimension * Math.max(0, dimensions.length - 1);
  const score = 100 * (1 - Math.exp((-formula.steepness * load) / Math.sqrt(length))) * breadth;
  return {
    manipulation_score: roundTo(Math.min(100, score), 2),
    total_severity: roundTo(
      weighted.reduce((sum, { severity, share }) => sum + severity * share, 0),
      4,
    ),
    dimensions_affected: dimensions,
    techniques_count: weighted.reduce((sum, { count }) => sum + count, 0),
  };
}
