import taxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import type { EvidenceItem } from '../../resources/claims-result.ts';

/** What the evidence on a claim amounts to. */
export interface ClaimDecision {
  readonly status: 'verified_true' | 'verified_false' | 'misleading' | 'conflicting' | 'unverified';
  /** How strong the evidence for the status is, 0 to 1, no probability; null where it decides nothing. */
  readonly confidence: number | null;
  /** Weights and numbers of independent voices on each side: the status can be redone from them. */
  readonly supports: EvidenceSide;
  readonly refutes: EvidenceSide;
}

/** One side of the evidence. */
export interface EvidenceSide {
  readonly weight: number;
  readonly voices: number;
  /** Independent sources among them that are rated, or whose stance on this very claim people have judged. */
  readonly known: number;
}

/** Limits of a decision, each with its reason. */
const LIMITS = {
  /** Sources below this credibility never decide: they may repeat falsehoods. */
  poor: 40,
  /** Credibility from which a source counts in full. */
  good: 75,
  /** Weight of an unrated source. */
  unrated: 0.5,
  /**
   * Least weight of a source whose stance on this very claim people have judged: two of them decide, as the reviews themselves require. A poor
   * one stays without weight.
   */
  reviewed: 0.6,
  /** Factor for evidence that is much older than claims of its kind stay valid. */
  stale: 0.7,
  /** Evidence is stale after this many times the days after which claims of the kind are checked again. */
  staleAfter: 8,
  /** Least total weight of independent sources for a decision. */
  decides: 1.2,
  /** Least number of known sources for a decision: it is easy to register three sites that confirm each other. */
  known: 2,
  /** Largest share of the weight that may contradict a decision. */
  against: 0.15,
  /** Least weight of each side at which credible sources disagree. */
  disagrees: 0.75,
  /** Highest probability of a decision. */
  surest: 0.95,
} as const;

const DAY_MS = 86_400_000;
const types = new Map(taxonomy.types.map((type) => [type.code, type]));
const leastVoices = new Map(
  taxonomy.statuses.map(({ code, min_independent_sources: least }) => [code, least]),
);

/** Whether a source of this credibility never decides. */
export const isPoor = (credibility: number | null): boolean =>
  credibility !== null && credibility < LIMITS.poor;

/** 0 to 1: how much a source of this credibility (0 to 100, null when it is not rated) counts. */
function credibilityWeight(credibility: number | null): number {
  if (credibility === null) return LIMITS.unrated;
  if (isPoor(credibility)) return 0;
  const share = (credibility - LIMITS.poor) / (LIMITS.good - LIMITS.poor);
  return Math.min(1, LIMITS.unrated + (1 - LIMITS.unrated) * share);
}

/** 1, or less for what was published long before a claim of this kind would be checked again. */
function ageWeight(publishedAt: string | null, type: string, now: Date): number {
  const days = types.get(type)?.recheck_after_days;
  const at = publishedAt === null ? Number.NaN : Date.parse(publishedAt);
  if (typeof days !== 'number' || Number.isNaN(at)) return 1;
  return now.getTime() - at > days * LIMITS.staleAfter * DAY_MS ? LIMITS.stale : 1;
}

/** The properties by which evidence is weighed. */
export type WeighedEvidence = Pick<
  EvidenceItem,
  'stance' | 'credibility_score' | 'published_at' | 'independent_group' | 'url'
> & {
  /** A confirmed earlier fact-check has this address: people, no model, said its stance, and its age was theirs to judge. */
  readonly isReviewed: boolean;
};

/** The weight of one piece of evidence, 0 to 1. */
function weightOf(item: WeighedEvidence, type: string, now: Date): number {
  const credibility = credibilityWeight(item.credibility_score);
  if (item.isReviewed && credibility > 0) return Math.max(LIMITS.reviewed, credibility);
  return credibility * ageWeight(item.published_at, type, now);
}

/** The independent sources of one side: copies, and pages of one owner, count once, by the heaviest. */
function sideOf(evidence: readonly WeighedEvidence[], stance: string, type: string, now: Date): EvidenceSide {
  const byGroup = new Map<string, { weight: number; isKnown: boolean }>();
  for (const item of evidence) {
    const weight = weightOf(item, type, now);
    if (item.stance !== stance || weight === 0) continue;
    const group = item.independent_group ?? item.url;
    const before = byGroup.get(group);
    byGroup.set(group, {
      weight: Math.max(weight, before?.weight ?? 0),
      isKnown: item.isReviewed || item.credibility_score !== null || before?.isKnown === true,
    });
  }
  const voices = [...byGroup.values()];
  return {
    weight: voices.reduce((sum, { weight }) => sum + weight, 0),
    voices: voices.length,
    known: voices.filter(({ isKnown }) => isKnown).length,
  };
}

/** What stands against a side. Unknown voices alone do not: else a page of one's own would undo any refutation. */
const against = (other: EvidenceSide) => (other.known === 0 ? 0 : other.weight);

function prevails(side: EvidenceSide, other: EvidenceSide, status: string): boolean {
  const enough = side.voices >= (leastVoices.get(status) ?? 0) && side.weight >= LIMITS.decides;
  if (!enough || side.known < LIMITS.known) return false;
  return against(other) <= LIMITS.against * (side.weight + against(other));
}

const rounded = (value: number) => roundTo(value, 3);

/** 1 - exp(-weight), times the share of the side, at most 0.95. */
function confidenceOf(side: EvidenceSide, other: EvidenceSide): number {
  const share = side.weight / (side.weight + against(other));
  return rounded(Math.min(LIMITS.surest, (1 - Math.exp(-side.weight)) * share));
}

/**
 * The status of a claim from the stances of its evidence, weighed by credibility, independence and age. Two independent
 * voices at least, of sources that are known and not poor, and hardly any against them; known sources that disagree decide nothing.
 * `misleading` says that reviewers of this very claim call it so rather than false.
 */
export function decideClaim(
  claim: {
    readonly type: string;
    readonly evidence: readonly WeighedEvidence[];
    readonly isMisleading: boolean;
  },
  now: Date,
): ClaimDecision {
  const supports = sideOf(claim.evidence, 'supports', claim.type, now);
  const refutes = sideOf(claim.evidence, 'refutes', claim.type, now);
  const sides = { supports, refutes };
  if (prevails(refutes, supports, 'verified_false')) {
    const status = claim.isMisleading ? 'misleading' : 'verified_false';
    return { status, confidence: confidenceOf(refutes, supports), ...sides };
  }
  if (prevails(supports, refutes, 'verified_true'))
    return { status: 'verified_true', confidence: confidenceOf(supports, refutes), ...sides };
  const isHeard = ({ weight, known }: EvidenceSide) => known > 0 && weight >= LIMITS.disagrees;
  const disagree = isHeard(supports) && isHeard(refutes);
  return { status: disagree ? 'conflicting' : 'unverified', confidence: null, ...sides };
}
