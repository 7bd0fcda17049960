import { z } from 'zod';
import shippedFile from '../../../../data/taxonomy/verdict.json' with { type: 'json' };
import { plainReason, sentence } from '../reasons.ts';
import { MEDIA_TYPES, type MediaType } from './media-types.ts';
import { enqueueReason } from './moderation.ts';
import { type VerdictProfile, verdictProfile } from './verdict-config.ts';

/** Codes of the rules that may change the number of a verdict, by rank; each is a reason too. */
export const OVERRIDE_CODES = [
  'human_ground_truth',
  'known_false_match',
  'verified_false_majority',
  'undisclosed_synthetic_as_real',
  'domain_blacklisted',
  'peak_signal',
  'scam_lure',
  'one_sided_article',
  'explicit_satire',
  'persuasion_only',
  'explicit_ai_disclosure',
  'trusted_source',
  'insufficient_components',
] as const;
/** Code of an override. */
export type OverrideCode = (typeof OVERRIDE_CODES)[number];

/** Codes of the confidence levels, from the lowest. */
export const CONFIDENCE_LEVELS = ['very_low', 'low', 'medium', 'high', 'very_high'] as const;
/** Code of a confidence level. */
export type ConfidenceLevel = (typeof CONFIDENCE_LEVELS)[number];

/** Codes of the virality levels, from the lowest. */
export const VIRALITY_LEVELS = ['low', 'moderate', 'high', 'very_high'] as const;
/** Code of a virality level. */
export type ViralityLevel = (typeof VIRALITY_LEVELS)[number];

/** Codes of what makes an item spread. */
export const VIRALITY_FACTORS = [
  'emotional_arousal',
  'share_call',
  'novelty_shock',
  'group_identity',
  'sensitive_topic',
  'format_shareability',
  'public_figure',
  'simplicity',
  'prior_sightings',
] as const;
/** Codes of what a reader is advised to do. */
export const RECOMMENDED_ACTIONS = [
  'none',
  'read_with_care',
  'verify_before_sharing',
  'human_review',
  'urgent_human_review',
  'retry_or_review',
  'label_as_ai',
  'label_as_satire',
] as const;

const text = z.string().min(1);
const colour = z.string().regex(/^#[0-9A-Fa-f]{6}$/, 'must be a colour such as #0B6E4F');
const share = z.number().min(0).max(1);
const points = z.number().min(0).max(100);
const count = z.int().min(0);

/** Rows with a `min`, so that a value belongs to the last one whose `min` it reaches. */
function scale<Row extends z.ZodType<{ min: number }>>(row: Row) {
  return z
    .array(row)
    .min(1)
    .refine(
      (rows) => rows.every(({ min }, index) => index === 0 || min > (rows[index - 1]?.min ?? min)),
      'the rows must ascend by min',
    );
}

/** Exactly one row for each code; rules stored before a code existed may lack it. */
function table<Row extends z.ZodType<{ code: string }>>(
  codes: readonly string[],
  row: Row,
  later: readonly string[] = [],
) {
  return z.array(row).refine(
    (rows) => {
      const named = new Set(rows.map(({ code }) => code));
      return (
        named.size === rows.length &&
        rows.every(({ code }) => codes.includes(code)) &&
        codes.every((code) => named.has(code) || later.includes(code))
      );
    },
    `there must be one row for each of ${codes.join(', ')}`,
  );
}

const category = z.object({
  risk_category: text,
  category_en: text,
  category_ro: text,
  risk_level: text,
  level_en: text,
  level_ro: text,
  severity: text,
  recommended_action: z.enum(RECOMMENDED_ACTIONS),
  color_hex: colour,
  contrast_on_white: z.number(),
  color_hex_dark: colour,
  contrast_on_dark: z.number(),
  icon: text,
  pattern: text,
  text_en: text,
  text_ro: text,
});

const action = z.object({
  code: z.enum(RECOMMENDED_ACTIONS),
  name_en: text,
  name_ro: text,
  text_en: text,
  text_ro: text,
});

const level = { min: z.number(), max: z.number(), en: text, ro: text };

const confidenceModel = z.object({
  exponents: z.object({ coverage: share, quality: share, agreement: share }),
  penalties: z.object({
    model_fallback: share,
    degraded_component: share,
    short_text: share,
    out_of_scope_media: share,
    language_outside_ro_en: share,
    unusual_form: share.default(0.85),
    near_band_edge: share,
  }),
  near_band_edge_points: points,
  max_fallbacks_counted: count,
  cap_without_independent_evidence: share,
  cap_below_min_components: share,
  agreement_with_one_component: share,
  short_text_below: count.describe('Code points; shorter texts give the engines little to go by.'),
  evidence_needed_from: points.describe(
    'Risk score from which a verdict without independent evidence is capped in confidence.',
  ),
  languages: z.array(text).describe('Languages that the engines were made for.'),
});

const override = z.object({
  code: z.enum(OVERRIDE_CODES),
  rank: z.int().min(1),
  kind: z.enum(['set', 'floor', 'ceiling', 'shift', 'category']),
  value: z.union([z.number(), z.string()]).nullable(),
  capped: z.boolean(),
  condition: text,
  reason_en: text,
  reason_ro: text,
});

const thresholds = z.object({
  known_false_match: z.object({
    similarity: share,
    small_share: share
      .default(0.1)
      .describe(
        'Of the text; where refuted claims are less of it, and do not lead it, small_share_floor holds.',
      ),
    small_share_floor: points.default(45),
  }),
  verified_false_majority: z.object({ decided: count, false_share: share, sources: count }),
  peak_signal: z.object({ score: points, confidence: share }),
  scam_lure: z.object({ confidence: share }).default({ confidence: 1 }),
  one_sided_article: z
    .object({ chance: z.number().min(0).describe('More than 1 switches the rule off.') })
    .default({ chance: 2 }),
  explicit_satire: z.object({ genre_confidence: share }),
  persuasion_only: z.object({ score: points }),
  explicit_ai_disclosure: z.object({ limit: points, share }),
  trusted_source: z.object({ trust: points }),
  check_worthy_from: share,
  detector_families: count.describe('Detector categories that must agree before score_ai moves an override.'),
});

const enqueueRule = z.object({
  rank: z.int().min(1),
  reason: enqueueReason,
  when: text,
  priority: z.int().min(1).max(5),
});

const viralityFactor = z.object({
  code: z.enum(VIRALITY_FACTORS),
  weight: share,
  name_en: text,
  name_ro: text,
  definition_en: text,
  definition_ro: text,
});

const weightProfile = verdictProfile.extend({ media_type: z.enum(MEDIA_TYPES) });

/** Everything by which a verdict is made: scales, weights, thresholds and texts, under one version. */
export const verdictRules = z.object({
  version: text,
  risk_bands: scale(category.extend({ min: points, max: points })),
  inconclusive: category.extend({ when: text }),
  recommended_actions: table(RECOMMENDED_ACTIONS, action),
  confidence_levels: scale(z.object({ code: z.enum(CONFIDENCE_LEVELS), ...level })),
  weight_profiles: z
    .array(weightProfile)
    .refine(
      (profiles) =>
        MEDIA_TYPES.every(
          (type) => profiles.filter((row) => row.media_type === type && row.is_active).length === 1,
        ),
      'each media type needs exactly one active profile',
    ),
  confidence_model: confidenceModel,
  band_hysteresis_points: points,
  overrides: table(OVERRIDE_CODES, override, ['scam_lure', 'one_sided_article']),
  thresholds,
  enqueue_rules: z.array(enqueueRule),
  enqueue_thresholds: z.object({ risk_from: points, confidence_below: share, most_urgent: z.int().min(1) }),
  sensitive_topics: z.array(z.object({ code: text, en: text, ro: text })),
  virality_factors: table(VIRALITY_FACTORS, viralityFactor),
  virality_levels: scale(z.object({ code: z.enum(VIRALITY_LEVELS), ...level, color_hex: colour })),
});
/** The rules of verdicts under one version. */
export type VerdictRules = z.output<typeof verdictRules>;

/** Look and texts of one risk category. */
export type RiskCategory = z.output<typeof category>;

/** The rules that come with the product; the sentences of overrides stand in the table of reasons. */
export const shippedVerdictRules: VerdictRules = verdictRules.parse({
  ...shippedFile,
  overrides: shippedFile.overrides.map((row) => {
    const reason = plainReason(row.code);
    if (reason === undefined) throw new Error(`the table of reasons has no ${row.code}`);
    return { ...row, reason_en: sentence(reason, 'en'), reason_ro: sentence(reason, 'ro') };
  }),
});

/** The verdict rules of an installation: the current ones, and earlier ones by version. */
export interface VerdictRulesSource {
  current(): Promise<VerdictRules>;
  /** The rules of a version; undefined when the installation does not have them. */
  ofVersion(version: string): Promise<VerdictRules | undefined>;
}

/** The last row whose `min` is not above the value; the first when there is none. */
export function rowAt<Row extends { min: number }>(rows: readonly Row[], value: number): Row {
  const row = rows.findLast((candidate) => candidate.min <= value) ?? rows[0];
  if (row === undefined) throw new Error('no rows to look up');
  return row;
}

/** The active weight profile of a kind of content. */
export function profileOf(rules: VerdictRules, mediaType: MediaType): VerdictProfile {
  const active = rules.weight_profiles.find((row) => row.media_type === mediaType && row.is_active);
  if (active === undefined)
    throw new Error(`version ${rules.version} has no active profile for ${mediaType}`);
  const { media_type: _, ...profile } = active;
  return profile;
}

/** The row of an override. */
export function overrideRule(rules: VerdictRules, code: OverrideCode): VerdictRules['overrides'][number] {
  const row = rules.overrides.find((candidate) => candidate.code === code);
  if (row === undefined) throw new Error(`version ${rules.version} has no override ${code}`);
  return row;
}
