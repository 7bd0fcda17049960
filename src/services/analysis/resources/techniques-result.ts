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
    confidence: share.describe(
      'Chance that careful readers would name the technique anywhere in the text (models/technique-sentences.md), by that of its passages.',
    ),
    spans: z
      .array(
        span.extend({
          confidence: share
            .optional()
            .describe(
              'Chance that careful readers would name the technique in the sentence of this passage; in English that of annotators of news where it is higher. In other languages, and where the sentence encoder read nothing, it is the latter.',
            ),
          weight: share
            .optional()
            .describe(
              'How much the passage counts in manipulation_score, which is no probability; 0: it is only listed. Less where the text as a whole reads calm: q of its code is multiplied by g = 1 - min(0.5, 0.5 * max(0, -0.3 - z)) * min(1, max(0, n - 1) / 3), ' +
                'z and n as in diffuse_evidence.weight; absent: as much as its confidence.',
            ),
        }),
      )
      .min(1),
    ...explanationPair,
    stage: z.enum(['screening', 'deep']),
    engine,
  })
  .meta({ id: 'TechniqueItem' });
export type TechniqueItem = z.infer<typeof techniqueItem>;

/** What lies below the list of findings: sentences too weak to be one, counted together. */
const diffuseEvidence = z
  .object({
    sentences: share.describe(
      'Share of the sentences that were read which stand below the list and above the floor 0.6.',
    ),
    weight: z
      .number()
      .min(0)
      .describe(
        'd in manipulation_score = min(100, 100 * (1 - exp(-0.45 * (d + sum over codes of (severity / 3) * q) / sqrt(L))) * (1 + 0.04 * (dimensions - 1))), ' +
          'L = max(1, words / 250), q = 1 - product over the spans of a code of (1 - weight), dimensions those of codes with q above 0. d = (9 * D + W) * sqrt(L) / 0.45, ' +
          'D = sum of max(0, p - 0.6) over the sentences of five words or more without a span of some weight / (sentences of five words or more + 8), ' +
          'W = f * min(1.2, 1.1 * max(0, z)) * min(1, max(0, n - 1) / 2), n = sentences in the text’s own voice, at least one for each 20 of their words, f = from 0.6 where the subject is loud by nature to 1, z = log-odds that the text as a whole presses its reader (docs/decisions/0115-likeness-of-whole-texts.md).',
      ),
    quotes: z
      .array(span.extend({ probability: share }))
      .max(3)
      .describe(
        'The strongest of these sentences, each with its p: the chance that it belongs to a one-sided text.',
      ),
  })
  .meta({ id: 'DiffuseEvidence' });

/** Answer of the component techniques. */
export const techniquesResult = z
  .object({
    manipulation_score: score.nullable(),
    total_severity: z.number().min(0).nullable(),
    dimensions_affected: z.array(codes(techniqueMeta.dimensions)),
    techniques_count: count,
    techniques_detected: z.array(techniqueItem),
    diffuse_evidence: diffuseEvidence
      .nullable()
      .default(null)
      .describe('null: the sentences were not read, or the session is of an earlier release.'),
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
