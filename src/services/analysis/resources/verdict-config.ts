import { z } from 'zod';
import { COMPONENTS } from './component-name.ts';
import { count, looseObject, share } from './fields.ts';

/** The five scores of a verdict; their order breaks ties. */
export const SCORES = ['manipulation', 'claims', 'ai', 'source', 'context'] as const;
export type ScoreName = (typeof SCORES)[number];

/** One number from 0 to 1 for each of the five scores. */
export const scoreWeights = z.object({
  manipulation: share,
  claims: share,
  ai: share,
  source: share,
  context: share,
});

/** Weights and limits for one kind of content. */
export const verdictProfile = z
  .object({
    profile_code: z.string(),
    profile_name: z.string(),
    is_active: z.boolean(),
    weights: scoreWeights,
    min_components: z.int().min(1).max(COMPONENTS.length),
    override_cap: z.int().min(0).max(100),
    note: z.string(),
  })
  .meta({ id: 'VerdictProfile' });
export type VerdictProfile = z.infer<typeof verdictProfile>;

/** The verdict configuration of this installation. */
export const verdictConfig = z
  .object({
    version: z.string().meta({ description: 'A session names it in `weights_source`.' }),
    config_version: count.meta({ description: 'Changes of the whole configuration so far.' }),
    profiles: z.array(verdictProfile.extend({ media_type: z.string() })),
    risk_bands: z.array(looseObject),
    inconclusive: looseObject,
    confidence_levels: z.array(looseObject),
    confidence_model: looseObject,
    overrides: z.array(looseObject),
    thresholds: looseObject,
    recommended_actions: z.array(looseObject),
    enqueue_rules: z.array(looseObject),
    enqueue_thresholds: looseObject,
    band_hysteresis_points: z.number(),
    sensitive_topics: z.array(looseObject),
    virality_factors: z.array(looseObject),
    virality_levels: z.array(looseObject),
  })
  .meta({ id: 'VerdictConfig' });
