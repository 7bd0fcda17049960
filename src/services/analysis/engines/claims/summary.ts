import taxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };
import { type ClaimItem, type ClaimsResult, isAttributedToOthers } from '../../resources/claims-result.ts';

/** The part of a ClaimsResult that follows from its claims alone. */
export type ClaimsSummary = Pick<
  ClaimsResult,
  | 'total_claims'
  | 'verified_true'
  | 'verified_false'
  | 'unverified'
  | 'opinions'
  | 'credibility_score'
  | 'interpretation'
  | 'claims_by_status'
  | 'claims_by_type'
>;

type Judged = Pick<ClaimItem, 'status' | 'type' | 'checkworthiness'> &
  Partial<Pick<ClaimItem, 'voice' | 'previous_fact_checks' | 'text'>>;

/** The weight and value of a neutral claim that keeps a few decided claims from going to either end. */
const PRIOR = { weight: 1, value: 50 } as const;

const statuses = new Map(taxonomy.statuses.map((status) => [status.code, status]));
const checkableTypes = new Set(taxonomy.types.filter((type) => type.checkable).map((type) => type.code));

/** Counts and scores claims by their statuses; call it again whenever evidence changes one. */
export function summariseClaims(claims: readonly Judged[]): ClaimsSummary {
  const score = credibilityScore(claims);
  return {
    total_claims: claims.length,
    verified_true: inBucket(claims, 'verified_true'),
    verified_false: inBucket(claims, 'verified_false'),
    unverified: inBucket(claims, 'unverified'),
    opinions: inBucket(claims, 'opinions'),
    credibility_score: score,
    interpretation: interpretationOf(claims, score),
    claims_by_status: countBy(claims, (claim) => claim.status),
    claims_by_type: countBy(claims, (claim) => claim.type),
  };
}

/** The credibility of a status; null for those that decide nothing. */
function credibilityValue(claim: Pick<ClaimItem, 'status'>): number | null {
  return statuses.get(claim.status)?.credibility_value ?? null;
}

/** Whether a claim is a refuted one in the words of another. */
function isForeign(claim: Judged): boolean {
  const { voice = null, previous_fact_checks = [], text = '' } = claim;
  const isRefuted = statuses.get(claim.status)?.bucket === 'verified_false';
  return isRefuted && isAttributedToOthers({ voice, previous_fact_checks, text });
}

/**
 * (sum of weight times value + 50) / (sum of weights + 1), 0 to 100; the weight is the check-worthiness. What the text
 * refutes, quotes or asks about itself is no fault of it.
 */
function credibilityScore(claims: readonly Judged[]): number | null {
  let weights: number = PRIOR.weight;
  let sum: number = PRIOR.weight * PRIOR.value;
  let decided = 0;
  for (const claim of claims) {
    const value = credibilityValue(claim);
    if (value === null || isForeign(claim)) continue;
    decided++;
    weights += claim.checkworthiness;
    sum += claim.checkworthiness * value;
  }
  return decided === 0 ? null : Math.round((sum / weights) * 100) / 100;
}

function interpretationOf(claims: readonly Judged[], score: number | null): string {
  if (score === null)
    return claims.some((claim) => checkableTypes.has(claim.type)) ? 'undecided' : 'nothing_to_check';
  const bands = taxonomy.interpretation_bands.filter((band) => band.min !== null);
  // Bands are written in whole numbers; a score between two of them belongs to the lower one.
  return bands.find((band) => score >= (band.min ?? 0))?.code ?? 'not_credible';
}

function inBucket(claims: readonly Judged[], bucket: string): number {
  return claims.filter((claim) => statuses.get(claim.status)?.bucket === bucket).length;
}

function countBy(claims: readonly Judged[], key: (claim: Judged) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const claim of claims) counts[key(claim)] = (counts[key(claim)] ?? 0) + 1;
  return counts;
}
