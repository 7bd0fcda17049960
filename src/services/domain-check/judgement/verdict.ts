import type { RISK_LEVELS, SOURCE_VERDICTS } from '../contract.ts';
import { weights } from '../weights.ts';
import type { Evidence } from './evidence.ts';
import type { Signal } from './signals.ts';
import { type Basis, isMeasuredName, type Trust } from './trust.ts';

type DomainVerdict = (typeof SOURCE_VERDICTS)[number];
type RiskLevel = (typeof RISK_LEVELS)[number];

const REVIEWED_BASES: readonly Basis[] = ['listed', 'rated'];

/**
 * The verdict on a judged site. A score alone gives neither `trusted` nor `untrustworthy`: these need a rating or an entry
 * of a list. Of unrated sites it names those `reliable` and `suspicious` that lie beyond the bounds of a stated error rate.
 */
export function verdictOf(evidence: Evidence, trust: Trust, signals: readonly Signal[]): DomainVerdict {
  const bounds = weights.verdicts;
  const isReviewed = REVIEWED_BASES.includes(trust.basis);
  if (evidence.published.satire) return 'satire';
  if (trust.score >= bounds.trusted && trust.basis === 'rated') return 'trusted';
  if (trust.score >= bounds.reliable && (isReviewed || trust.basis === 'estimated')) return 'reliable';
  if (trust.score < bounds.untrustworthy && isReviewed) return 'untrustworthy';
  if (isReviewed) return 'mixed';
  if (isMeasuredName(evidence)) {
    if (trust.score >= bounds.unrated.reliable) return 'reliable';
    if (trust.score < bounds.unrated.suspicious) return 'suspicious';
  }
  return trust.score < bounds.suspicious && (trust.basis === 'estimated' || areSuspicious(signals))
    ? 'suspicious'
    : 'unknown';
}

/**
 * Share of rated news sites of the other kind that would get this verdict if they were not rated, measured
 * (models/domain-name.md); null where the verdict rests on a rating, a list or the link graph, or says nothing.
 */
export function errorRateOf(evidence: Evidence, verdict: DomainVerdict, trust: Trust): number | null {
  const { reliable, suspicious, error_rate } = weights.verdicts.unrated;
  const isGuess = isMeasuredName(evidence) && (trust.basis === 'name' || trust.basis === 'observed');
  const isBeyond =
    (verdict === 'reliable' && trust.score >= reliable) ||
    (verdict === 'suspicious' && trust.score < suspicious);
  return isGuess && isBeyond ? error_rate : null;
}

/** Whether the signals are enough for `suspicious`: one red flag, or two warnings. */
function areSuspicious(signals: readonly Signal[]): boolean {
  const speaking = signals.filter((signal) => signal.points < 0);
  return speaking.length > 1 || speaking.some((signal) => signal.kind === 'red_flag');
}

/** The score above which each level holds: the bands of verdict.json mirrored, since high trust is low risk. */
const LEVEL_BOUNDS: readonly [number, RiskLevel][] = [
  [80, 'minimal'],
  [60, 'low'],
  [40, 'moderate'],
  [20, 'high'],
  [-1, 'critical'],
];

/** The risk level of a verdict: `unknown` when nothing speaks for or against the site, `low` for satire. */
export function riskLevelOf(verdict: DomainVerdict, score: number | null): RiskLevel {
  if (score === null || verdict === 'unknown') return 'unknown';
  if (verdict === 'satire') return 'low';
  return LEVEL_BOUNDS.find(([bound]) => score > bound)?.[1] ?? 'unknown';
}
