import { z } from 'zod';
import { componentName } from './component-name.ts';
import { explanationPair, looseObject, milliseconds, namePair, score, share } from './fields.ts';
import { span } from './finding.ts';
import { scoreWeights } from './verdict-config.ts';
import {
  CONFIDENCE_LEVELS,
  OVERRIDE_CODES,
  RECOMMENDED_ACTIONS,
  VIRALITY_FACTORS,
  VIRALITY_LEVELS,
} from './verdict-rules.ts';

/** One measured virality factor; contribution = 100 * value * weight / sum of measured weights. */
export const viralityFactor = z
  .object({
    code: z.enum(VIRALITY_FACTORS),
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
    recommended_action: z.enum(RECOMMENDED_ACTIONS),
    confidence: share,
    confidence_level: z.enum(CONFIDENCE_LEVELS),
    score_manipulation: score.nullable(),
    score_claims: score.nullable(),
    score_ai: score.nullable(),
    score_source: score.nullable(),
    score_context: score.nullable(),
    applied_weights: scoreWeights.meta({
      description: 'Four places; they sum to 1, and a score that was not used has weight 0.',
    }),
    override_applied: z.boolean(),
    override_type: z.enum(OVERRIDE_CODES).nullable().meta({ description: 'Code of the reason.' }),
    override_reason: z.string().nullable().meta({ description: 'The reason in English.' }),
    override_reason_ro: z.string().nullable().meta({ description: 'The reason in Romanian.' }),
    override_adjustment: z.number().min(-100).max(100),
    context_summary: looseObject,
    components_used: z.array(componentName),
    weights_source: z.string().meta({ description: 'Profile code and version: `default_text@1.0.0`.' }),
    rules_version: z.string().meta({ description: 'Version of the rules that made the verdict.' }),
    duration_ms: milliseconds,
    ...explanationPair,
    virality_score: score.nullable(),
    virality_level: z.enum(VIRALITY_LEVELS).nullable(),
    virality_factors: z.array(viralityFactor),
  })
  .meta({ id: 'VerdictResult' });
export type VerdictResult = z.infer<typeof verdictResult>;
