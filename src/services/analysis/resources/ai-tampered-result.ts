import { z } from 'zod';
import aiIndicators from '../../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import { localizedText } from '../../../foundation/localized-text.ts';
import { REASON_CODES } from '../reasons.ts';
import { codes, count, explanationPair, milliseconds, score, share } from './fields.ts';
import { engine, span } from './finding.ts';
import { imageAnalysis } from './image-analysis.ts';
import { recordingAnalysis } from './recording-analysis.ts';

/** Where an indicator shows: a passage, a region in fractions of the picture, a stretch of time, or one frame. */
export const indicatorLocation = z.union([
  span,
  z.object({ x: share, y: share, width: share, height: share, frame: count.optional() }),
  z.object({ start_s: z.number().min(0), end_s: z.number().min(0) }),
  z.object({ frame: count, timestamp_s: z.number().min(0).optional() }),
]);
export type IndicatorLocation = z.infer<typeof indicatorLocation>;

/** One trace of generation or tampering; `where` is null when it concerns the whole item. */
export const indicatorItem = z
  .object({
    category: codes(aiIndicators.categories),
    code: codes(aiIndicators.categories.flatMap((category) => category.indicators)),
    strength: codes(aiIndicators.strength_scale),
    confidence: share,
    where: indicatorLocation.nullable(),
    dependency: z.string().meta({ description: 'Dependency that yielded it; `own` for our own engine.' }),
    raw_score: z.number().nullable(),
    cautions: z.array(localizedText),
    ...explanationPair,
    engine,
  })
  .meta({ id: 'IndicatorItem' });
export type IndicatorItem = z.infer<typeof indicatorItem>;

/** What is found on one content. */
const finding = z.object({
  ai_probability: score
    .nullable()
    .meta({ description: 'Calibrated, 0 to 100; null when no detector applied.' }),
  reason_code: z.enum(REASON_CODES).nullable().meta({
    description: 'Why there is no probability; null when there is one.',
  }),
  reason: z.string().nullable().meta({ description: 'The sentence of reason_code in English.' }),
  reason_ro: z.string().nullable().meta({ description: 'The sentence of reason_code in Romanian.' }),
  verdict: codes(aiIndicators.verdicts),
  risk_score: score.nullable().meta({ description: 'The probability weighted by disclosure.' }),
  categories_affected: z.array(codes(aiIndicators.categories)),
  indicators_count: count,
  disclosure_detected: z.boolean(),
  disclosure_explicit: z.boolean(),
  disclosure_text: z.string().nullable(),
  indicators_detected: z.array(indicatorItem),
  evidence_grade: z.enum(['A', 'B', 'C', 'D']).meta({
    description: 'A signature or metadata, B one strong trace, C weak traces, D nothing applicable.',
  }),
  image_analysis: imageAnalysis
    .nullable()
    .meta({ description: 'What is known of the picture; null when there is none.' }),
});

/** One of the leading pictures of a page, with what was found on it. */
export const leadingPicture = z
  .object({
    url: z.string().meta({ description: 'Its address, as the page names it.' }),
    not_looked_at: z
      .object({ code: z.enum(REASON_CODES), reason: z.string(), reason_ro: z.string() })
      .nullable()
      .meta({ description: 'Why it was not looked at; null when it was.' }),
    recognised_text: z
      .string()
      .nullable()
      .meta({ description: 'The words in it; null when none were read.' }),
    finding: finding.nullable().meta({ description: 'null when it was not looked at.' }),
  })
  .meta({ id: 'LeadingPicture' });
/** One of the leading pictures of a page. */
export type LeadingPicture = z.infer<typeof leadingPicture>;

/** Answer of the component ai_tampered. */
export const aiTamperedResult = finding
  .extend({
    content_type: z.string(),
    leading_pictures: z.array(leadingPicture).nullable().default(null).meta({
      description:
        'The leading pictures of a page, in its order; null for other content, and when none are looked at. They are told beside the result of the page and take no part in its numbers.',
    }),
    recording_analysis: recordingAnalysis
      .nullable()
      .default(null)
      .meta({ description: 'What is known of the sound or video; null when there is none.' }),
    llm_screening: z.string().nullable(),
    llm_deep: z.string().nullable(),
    total_duration_ms: milliseconds,
  })
  .meta({ id: 'AiTamperedResult' });
export type AiTamperedResult = z.infer<typeof aiTamperedResult>;
