import { parseAddress } from '../../../../foundation/http/web-address.ts';
import { roundTo } from '../../../../foundation/numbers.ts';
import type { AiTamperedResult } from '../../resources/ai-tampered-result.ts';
import type { ClaimItem } from '../../resources/claims-result.ts';
import type { ScoreName } from '../../resources/verdict-config.ts';
import type { Outcomes } from '../../session/outcome.ts';

/** The five scores, 0 to 100, higher is worse, two places; null when a part has nothing to say. */
export type Scores = Record<ScoreName, number | null>;

const SCORE_PLACES = 2;

function stored(score: number | null): number | null {
  return score === null ? null : roundTo(score, SCORE_PLACES);
}

/** Reads the five scores from the blocks; credibility and trust are subtracted from 100, so that higher is worse. */
export function scoresOf(outcomes: Outcomes, contextScore: number | null): Scores {
  const { techniques, ai_tampered: ai, claims, domain } = outcomes;
  const credibility = claims.state === 'ran' ? claims.block.credibility_score : null;
  const trust = domain.state === 'ran' ? domain.block.trust_score : null;
  return {
    manipulation: stored(techniques.state === 'ran' ? techniques.block.manipulation_score : null),
    claims: stored(credibility === null ? null : 100 - credibility),
    ai: stored(ai.state === 'ran' ? ai.block.ai_probability : null),
    source: stored(trust === null ? null : 100 - trust),
    context: stored(contextScore),
  };
}

/**
 * Which scores were requested and apply to this input. A part without an answer because there was nothing to
 * judge does not lower coverage; one that was lost, or could not decide, does.
 */
export function applicableScores(outcomes: Outcomes, scores: Scores): Record<ScoreName, boolean> {
  const { techniques, ai_tampered: ai, claims, domain } = outcomes;
  const undecided = claims.state === 'ran' && claims.block.interpretation === 'undecided';
  return {
    manipulation: scores.manipulation !== null || techniques.state === 'lost',
    claims: scores.claims !== null || claims.state === 'lost' || undecided,
    ai: scores.ai !== null || ai.state === 'lost',
    source: scores.source !== null || domain.state !== 'skipped',
    context: scores.context !== null,
  };
}

/**
 * Whether the AI finding rests on a conclusive indicator, on two detector families, or on a grade that counts as such.
 * Weak indicators are context and never count as a family; `families` is how many must agree.
 */
export function isCorroborated(block: AiTamperedResult, families: number): boolean {
  if (hasConclusiveIndicator(block) || block.evidence_grade === 'A' || block.evidence_grade === 'B')
    return true;
  const telling = block.indicators_detected.filter((item) => item.strength !== 'weak');
  return new Set(telling.map((item) => item.category)).size >= families;
}

/** Whether one indicator is conclusive by itself. */
export function hasConclusiveIndicator(block: AiTamperedResult): boolean {
  return block.indicators_detected.some((item) => item.strength === 'conclusive');
}

const DECIDING_STANCES: ReadonlySet<string> = new Set(['supports', 'refutes', 'mixed']);

/** Number of independent sources that speak for or against a claim; confirmed earlier fact-checks are sources too. */
export function independentSources(claim: ClaimItem): number {
  const evidence = claim.evidence.filter((item) => DECIDING_STANCES.has(item.stance));
  const checks = claim.previous_fact_checks.filter((check) => check.match === 'confirmed');
  return new Set([
    ...evidence.map((item) => item.independent_group ?? siteOf(item.url)),
    ...checks.map((check) => siteOf(check.url)),
  ]).size;
}

function siteOf(address: string): string {
  return parseAddress(address)?.hostname.replace(/^www\./, '') ?? address;
}
