import techniques from '../../../../../data/taxonomy/techniques.json' with { type: 'json' };

/** What the score needs of a finding: its code and how sure each passage is (the finding's own where a passage has none). */
export interface ScoredFinding {
  readonly code: string;
  readonly confidence: number;
  readonly spans: readonly { readonly confidence?: number | undefined }[];
}

/** The figures of the block techniques. */
export interface TechniquesSummary {
  /** 0 to 100, higher is worse, two places. */
  readonly manipulation_score: number;
  /** Sum of severity (1 to 5) times confidence over distinct codes. */
  readonly total_severity: number;
  readonly dimensions_affected: string[];
  /** Passages kept. */
  readonly techniques_count: number;
}

/** Constants of the manipulation score (the verdict's definition of score_manipulation). */
const formula = { wordsPerUnit: 250, steepness: 0.45, middleSeverity: 3, perDimension: 0.04 } as const;

const taxonomy = new Map(techniques.map((technique) => [technique.code, technique]));

function round(value: number, places: number): number {
  return Math.round(value * 10 ** places) / 10 ** places;
}

/** Chance that a technique is present at all, given the chances of its passages: 1 - product of (1 - confidence). */
export function presence(confidences: readonly number[]): number {
  return 1 - confidences.reduce((absent, confidence) => absent * (1 - confidence), 1);
}

/**
 * Score and totals over findings of any engine; findings of the same code count as one. M = 100 (1 - exp(-0.45 (d + sum of
 * (severity / 3) q) / sqrt(L))) (1 + 0.04 (dimensions - 1)), L = max(1, words / 250), at most 100; d is the weight of the
 * diffuse evidence.
 */
export function summarise(
  findings: readonly ScoredFinding[],
  wordCount: number,
  diffuseWeight = 0,
): TechniquesSummary {
  const byCode = new Map<string, number[]>();
  for (const { code, confidence, spans } of findings) {
    const sure = spans.map((span) => span.confidence ?? confidence);
    byCode.set(code, [...(byCode.get(code) ?? []), ...sure]);
  }
  const weighed = [...byCode].map(([code, confidences]) => {
    const technique = taxonomy.get(code);
    if (technique === undefined) throw new Error(`Unknown technique ${code}.`);
    return {
      severity: technique.severity,
      dimension: technique.dimension,
      share: presence(confidences),
      count: confidences.length,
    };
  });
  const length = Math.max(1, wordCount / formula.wordsPerUnit);
  const load = weighed.reduce(
    (sum, { severity, share }) => sum + (severity / formula.middleSeverity) * share,
    diffuseWeight,
  );
  const dimensions = [...new Set(weighed.map(({ dimension }) => dimension))].sort();
  const breadth = 1 + formula.perDimension * Math.max(0, dimensions.length - 1);
  const score = 100 * (1 - Math.exp((-formula.steepness * load) / Math.sqrt(length))) * breadth;
  return {
    manipulation_score: round(Math.min(100, score), 2),
    total_severity: round(
      weighed.reduce((sum, { severity, share }) => sum + severity * share, 0),
      4,
    ),
    dimensions_affected: dimensions,
    techniques_count: weighed.reduce((sum, { count }) => sum + count, 0),
  };
}
