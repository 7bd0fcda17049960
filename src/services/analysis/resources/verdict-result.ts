import { z } from 'zod';
import verdictRules from '../../../../data/taxonomy/verdict.json' with { type: 'json' };
import { componentName } from './component-name.ts';
import { codes, explanationPair, looseObject, milliseconds, namePair, score, share } from './fields.ts';
import { span } from './finding.ts';
import { scoreWeights } from './verdict-config.ts';

/** One measured virality factor; contribution = 100 * value * weight / sum of measured weights. */
export const viralityFactor = z
  .object({
    code: codes(verdictRules.virality_factors),
    ...namePair,
    value: share,
    weight: share,
    contribution: score,
    spans: z.array(span),
  })
  .meta({ id: 'ViralityFactor' });
export type ViralityFactor = z.infer<typeof viralityFactor>;

/** The aggregated verdict; every number can be redone from it and the component blocks. */
export const verdictResult = z
  .object({
    risk_score: score.nullable().meta({ description: 'One decimal; null when nothing could be scored.' }),
    risk_category: z.string(),
    risk_category_color: z.string(),
    risk_level: z.string(),
    risk_level_color: z.string(),
    severity: z.string(),
    recommended_action: codes(verdictRules.recommended_actions),
    confidence: share,
    confidence_level: codes(verdictRules.confidence_levels),
    score_manipulation: score.nullable(),
    score_claims: score.nullable(),
    score_ai: score.nullable(),
    score_source: score.nullable(),
    score_context: score.nullable(),
    applied_weights: scoreWeights.meta({
      description: 'Four places; they sum to 1, and a score that was not used has weight 0.',
    }),
    override_applied: z.boolean(),
    override_type: codes(verdictRules.overrides).nullable(),
    override_reason: z.string().nullable(),
    override_adjustment: z.number().min(-100).max(100),
    context_summary: looseObject,
    components_used: z.array(componentName),
    weights_source: z.string().meta({ description: 'Profile code and version: `default_text@1.0.0`.' }),
    duration_ms: milliseconds,
    ...explanationPair,
    virality_score: score.nullable(),
    virality_level: codes(verdictRules.virality_levels).nullable(),
    virality_factors: z.array(viralityFactor),
  })
  .meta({ id: 'VerdictResult' });
export type VerdictResult = z.infer<typeof verdictResult>;
