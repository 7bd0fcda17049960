import { z } from 'zod';
import aiIndicators from '../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import claimTaxonomy from '../../../../data/taxonomy/claims.json' with { type: 'json' };
import techniqueMeta from '../../../../data/taxonomy/technique-meta.json' with { type: 'json' };
import { codes, namePair, share } from './fields.ts';

const definitionPair = { definition_en: z.string(), definition_ro: z.string() };

/** One family of traces of generation or tampering, with its indicators. */
export const aiCategory = z
  .object({
    code: z.string(),
    media_type: z.enum(['text', 'image', 'audio', 'video']),
    kind: z.enum(['disclosure', 'provenance', 'generation', 'tamper', 'context']),
    ...namePair,
    ...definitionPair,
    weight: share.meta({
      description: 'Weight of the family beside the others; 0 for one that only discloses.',
    }),
    indicators: z.array(
      z.object({
        code: z.string(),
        ...namePair,
        strength: codes(aiIndicators.strength_scale),
        sources: z
          .array(z.string())
          .meta({ description: 'Dependencies that can find it; `own` is our engine.' }),
      }),
    ),
  })
  .meta({ id: 'AiCategory' });

/** One status that a claim may have. */
export const claimStatus = z
  .object({
    code: z.string(),
    ...namePair,
    ...definitionPair,
    bucket: codes(claimTaxonomy.buckets),
    credibility_value: z
      .number()
      .nullable()
      .meta({ description: '0 to 100 in the credibility score; null for a status that decides nothing.' }),
    min_independent_sources: z.int().min(0),
    color_hex: z.string(),
  })
  .meta({ id: 'ClaimStatus' });

/** One kind of claim. */
export const claimType = z
  .object({
    code: z.string(),
    ...namePair,
    ...definitionPair,
    checkable: z.boolean(),
    checkworthiness_prior: share,
    preferred_evidence: z.array(z.string()),
    example_en: z.string(),
    example_ro: z.string(),
  })
  .meta({ id: 'ClaimType' });

/** One manipulation technique. */
export const techniqueDefinition = z
  .object({
    code: z.string(),
    ...namePair,
    ...definitionPair,
    dimension: codes(techniqueMeta.dimensions),
    dimension_name_en: z.string(),
    dimension_name_ro: z.string(),
    severity: z.int().min(1).max(5),
    example_en: z.string().nullable(),
    example_ro: z.string().nullable(),
  })
  .meta({ id: 'TechniqueDefinition' });
