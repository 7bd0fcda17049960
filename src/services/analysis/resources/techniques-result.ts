import { z } from 'zod';
import techniqueMeta from '../../../../data/taxonomy/technique-meta.json' with { type: 'json' };
import techniqueList from '../../../../data/taxonomy/techniques.json' with { type: 'json' };
import {
  codes,
  count,
  explanationPair,
  looseObject,
  milliseconds,
  namePair,
  score,
  share,
} from './fields.ts';
import { engine, span } from './finding.ts';

/** One manipulation technique with every passage that shows it. */
export const techniqueItem = z
  .object({
    code: codes(techniqueList),
    ...namePair,
    dimension: codes(techniqueMeta.dimensions),
    severity: z.int().min(1).max(5),
    confidence: share,
    spans: z.array(span.extend({ confidence: share.optional() })).min(1),
    ...explanationPair,
    stage: z.enum(['screening', 'deep']),
    engine,
  })
  .meta({ id: 'TechniqueItem' });
export type TechniqueItem = z.infer<typeof techniqueItem>;

/** Answer of the component techniques. */
export const techniquesResult = z
  .object({
    manipulation_score: score.nullable(),
    total_severity: z.number().min(0).nullable(),
    dimensions_affected: z.array(codes(techniqueMeta.dimensions)),
    techniques_count: count,
    techniques_detected: z.array(techniqueItem),
    coupling_context: looseObject.nullable(),
    llm_screening: z.string().nullable(),
    llm_deep: z.string().nullable(),
    screening_duration_ms: milliseconds.nullable(),
    deep_analysis_duration_ms: milliseconds.nullable(),
    total_duration_ms: milliseconds,
    fallbacks_screening: count,
    fallbacks_deep: count,
  })
  .meta({ id: 'TechniquesResult' });
export type TechniquesResult = z.infer<typeof techniquesResult>;
