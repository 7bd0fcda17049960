import {
  type Explanation,
  explainVerdict,
} from '../../../../../src/services/analysis/pipeline/explain/explain.ts';
import {
  type ContextFinding,
  computeVerdict,
} from '../../../../../src/services/analysis/pipeline/verdict/judge.ts';
import type { MediaType } from '../../../../../src/services/analysis/resources/media-types.ts';
import type { TechniqueItem } from '../../../../../src/services/analysis/resources/techniques-result.ts';
import {
  profileOf,
  shippedVerdictRules,
} from '../../../../../src/services/analysis/resources/verdict-rules.ts';
import type { Outcomes, VerdictFacts } from '../../../../../src/services/analysis/session/outcome.ts';
import { claim, claimsBlock, techniquesBlock, usualFacts } from '../blocks.ts';

/** What the context rules found in a text that gives them nothing to say. */
export const noContext: ContextFinding = { score: 5, quality: 1, genre: null, article: null, summary: {} };

/** The explanation of outcomes by the shipped rules, and the number that it explains. */
export function explained(
  outcomes: Outcomes,
  over: { context?: ContextFinding; media?: MediaType; facts?: VerdictFacts } = {},
): Explanation & { risk: number | null } {
  const profile = {
    rules: shippedVerdictRules,
    profile: profileOf(shippedVerdictRules, over.media ?? 'url'),
  };
  const judgement = computeVerdict(outcomes, over.context ?? noContext, profile, over.facts ?? usualFacts);
  return {
    ...explainVerdict({ rules: shippedVerdictRules, judgement, outcomes }),
    risk: judgement.risk_score,
  };
}

/** A technique found in one quote. */
export function technique(quote: string, severity = 3): TechniqueItem {
  return {
    code: 'appeal_to_time',
    name_en: 'Appeal to time',
    name_ro: 'Apel la timp',
    dimension: 'call',
    severity,
    confidence: 0.8,
    spans: [{ start: 0, end: 1, start_utf16: 0, end_utf16: 1, quote }],
    explanation_en: 'It presses.',
    explanation_ro: 'Grăbește.',
    stage: 'screening',
    engine: { model: 'limpede-techniques-1', version: '1', duration_ms: 1 },
  };
}

/** Techniques that carry a verdict. */
export const loud = techniquesBlock(92, {
  techniques_count: 3,
  techniques_detected: [technique('before it is too late')],
});
/** Claims that nobody could decide. */
export const undecided = claimsBlock(null, [claim('unverified', 0), claim('unverified', 1)]);
