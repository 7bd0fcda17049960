import { z } from 'zod';
import aiIndicators from '../../../data/taxonomy/ai-indicators.json' with { type: 'json' };
import claimTaxonomy from '../../../data/taxonomy/claims.json' with { type: 'json' };
import techniqueMeta from '../../../data/taxonomy/technique-meta.json' with { type: 'json' };
import techniqueList from '../../../data/taxonomy/techniques.json' with { type: 'json' };
import verdictRules from '../../../data/taxonomy/verdict.json' with { type: 'json' };

const codes = (rows: readonly { code: string }[]) => z.enum(rows.map((row) => row.code));
const score = z.number().min(0).max(100);
const share = z.number().min(0).max(1);
const count = z.int().min(0);
const milliseconds = z.int().min(0);
const moment = z.iso.datetime({ offset: true });
const looseObject = z.record(z.string(), z.unknown());

/** Content kinds that an analysis accepts. */
export const MEDIA_TYPES = ['text', 'url', 'image', 'audio', 'video'] as const;
/** The four analysis components, in the order in which they are shown. */
export const COMPONENTS = ['techniques', 'ai_tampered', 'claims', 'domain'] as const;
/** The five scores of a verdict, in the order in which ties are settled. */
export const SCORES = ['manipulation', 'claims', 'ai', 'source', 'context'] as const;
/** Length of an analysed text in code points; intake answers `text_length` outside it. */
export const TEXT_LENGTH = { min: 20, max: 50_000 } as const;
/** Longest media in seconds; intake answers `media_too_long` beyond it. */
export const MEDIA_SECONDS = { audio: 420, video: 180 } as const;
/** Plans run from 1 to 6; 4 and above are the premium tier. */
export const PLAN_TYPE = { min: 1, max: 6, premiumFrom: 4, default: 1 } as const;

export const mediaType = z.enum(MEDIA_TYPES);
export const componentName = z.enum(COMPONENTS);
export type MediaType = z.infer<typeof mediaType>;
export type ComponentName = z.infer<typeof componentName>;
export type ScoreName = (typeof SCORES)[number];

/** What a caller asks to have analysed; unknown properties are allowed and ignored. */
export const analyzeRequest = z
  .looseObject({
    media_type: mediaType,
    text: z
      .string()
      .meta({
        minLength: TEXT_LENGTH.min,
        maxLength: TEXT_LENGTH.max,
        description: 'Text to analyse, counted in code points.',
      })
      .optional(),
    media_url: z.string().meta({ description: 'Stored object or external address of the media.' }).optional(),
    url: z.string().meta({ description: 'Article or video address for analysis of type url.' }).optional(),
    user_id: z
      .string()
      .meta({ description: 'Honoured in staging mode only; else the token decides.' })
      .optional(),
    plan_type: z.int().min(PLAN_TYPE.min).max(PLAN_TYPE.max).optional(),
    components: z.array(componentName).optional(),
    skip_components: z.array(componentName).optional(),
    user_flagged: z.boolean().optional(),
    media_duration_sec: z.number().min(0).optional(),
    dry_run: z.boolean().meta({ description: 'true answers the plan and runs nothing.' }).optional(),
  })
  .meta({ id: 'AnalyzeRequest' });
export type AnalyzeRequest = z.infer<typeof analyzeRequest>;

/** A verbatim passage of `input_text`: code points (canonical) and UTF-16 units, half open. */
export const span = z
  .object({ start: count, end: count, start_utf16: count, end_utf16: count, quote: z.string().min(1) })
  .meta({ id: 'Span' });
export type Span = z.infer<typeof span>;

/** The engine that made one finding; our own are named `limpede-<task>-<n>`. */
export const engine = z
  .object({
    model: z.string(),
    version: z.string(),
    fallback_of: z.string().optional().meta({ description: 'The model that failed before this one.' }),
    duration_ms: milliseconds,
  })
  .meta({ id: 'Engine' });
export type Engine = z.infer<typeof engine>;

const explanationPair = { explanation_en: z.string(), explanation_ro: z.string() };
const namePair = { name_en: z.string(), name_ro: z.string() };

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

/** Where an indicator shows: a passage, a region in fractions of the picture, a stretch of time, or one frame. */
export const where = z.union([
  span,
  z.object({ x: share, y: share, width: share, height: share, frame: count.optional() }),
  z.object({ start_s: z.number().min(0), end_s: z.number().min(0) }),
  z.object({ frame: count, timestamp_s: z.number().min(0).optional() }),
]);
export type Where = z.infer<typeof where>;

/** One trace of generation or tampering; `where` is null when it concerns the whole item. */
export const indicatorItem = z
  .object({
    category: codes(aiIndicators.categories),
    code: codes(aiIndicators.categories.flatMap((category) => category.indicators)),
    strength: codes(aiIndicators.strength_scale),
    confidence: share,
    where: where.nullable(),
    dependency: z.string().meta({ description: 'Dependency that yielded it; `own` for our own engine.' }),
    raw_score: z.number().nullable(),
    cautions: z.array(z.object({ en: z.string(), ro: z.string() })),
    ...explanationPair,
    engine,
  })
  .meta({ id: 'IndicatorItem' });
export type IndicatorItem = z.infer<typeof indicatorItem>;

/** Answer of the component ai_tampered. */
export const aiTamperedResult = z
  .object({
    ai_probability: score
      .nullable()
      .meta({ description: 'Calibrated, 0 to 100; null when no detector applied.' }),
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
    content_type: z.string(),
    image_analysis: looseObject.nullable(),
    llm_screening: z.string().nullable(),
    llm_deep: z.string().nullable(),
    total_duration_ms: milliseconds,
  })
  .meta({ id: 'AiTamperedResult' });
export type AiTamperedResult = z.infer<typeof aiTamperedResult>;

/** One piece of evidence for or against a claim: the web service's item plus stance and quote. */
export const evidenceItem = z
  .object({
    url: z.string(),
    title: z.string().nullable(),
    publisher: z.string().nullable(),
    snippet: z.string().nullable(),
    relevance_score: z.number().nullable(),
    credibility_score: z.number().nullable(),
    published_at: z.string().nullable(),
    retrieved_at: moment,
    full_text_hash: z.string().nullable(),
    provenance: z
      .object({ extraction_method: z.string().nullable(), fallback_chain: z.array(z.string()) })
      .nullable(),
    stance: codes(claimTaxonomy.stances),
    quote: z.string().nullable().meta({ description: 'Verbatim passage of the fetched page.' }),
    independent_group: z
      .string()
      .nullable()
      .meta({ description: 'Items of one group (same owner, same copied text) count as one source.' }),
  })
  .meta({ id: 'EvidenceItem' });
export type EvidenceItem = z.infer<typeof evidenceItem>;

/** An earlier fact-check of the same or a near claim; a suggested match decides nothing. */
export const previousFactCheck = z
  .object({
    publisher: z.string(),
    url: z.string(),
    claim: z.string().nullable(),
    rating: z.string().nullable(),
    similarity: share,
    match: z.enum(['suggested', 'confirmed']),
  })
  .meta({ id: 'PreviousFactCheck' });
export type PreviousFactCheck = z.infer<typeof previousFactCheck>;

/** One claim with its status and what the status rests on. */
export const claimItem = z
  .object({
    id: z.string(),
    text: z.string(),
    span,
    type: codes(claimTaxonomy.types),
    status: codes(claimTaxonomy.statuses),
    confidence: share.nullable(),
    checkworthiness: share,
    evidence: z.array(evidenceItem),
    previous_fact_checks: z.array(previousFactCheck),
    queries: z.array(z.string()),
    ...explanationPair,
    engine,
  })
  .meta({ id: 'ClaimItem' });
export type ClaimItem = z.infer<typeof claimItem>;

/** Answer of the component claims. */
export const claimsResult = z
  .object({
    total_claims: count,
    verified_true: count,
    verified_false: count,
    unverified: count,
    opinions: count,
    credibility_score: score.nullable().meta({ description: 'null when no claim is decided.' }),
    interpretation: codes(claimTaxonomy.interpretation_bands),
    claims_by_status: z.record(z.string(), count),
    claims_by_type: z.record(z.string(), count),
    claims_verified: z.array(claimItem),
    llm_extraction: z.string().nullable(),
    llm_verification: z.string().nullable(),
    web_searches_made: count,
    total_duration_ms: milliseconds,
  })
  .meta({ id: 'ClaimsResult' });
export type ClaimsResult = z.infer<typeof claimsResult>;

/** One public list that names the domain; `harmful` ones make `is_blacklisted` true. */
export const domainListing = z.object({
  list: z.string(),
  label: z.string(),
  harmful: z.boolean(),
  updated_at: z.string().nullable(),
});
export type DomainListing = z.infer<typeof domainListing>;

/** Answer of the component domain: how far the source can be trusted. */
export const domainResult = z
  .object({
    domain: z.string().nullable(),
    trust_score: score.nullable(),
    verdict: z.string().nullable(),
    risk_level: z.string().nullable(),
    age_days: count.nullable(),
    is_blacklisted: z.boolean().nullable(),
    has_ssl: z.boolean().nullable(),
    ssl_valid: z.boolean().nullable(),
    red_flags: z.array(z.string()),
    warnings: z.array(z.string()),
    lists: z.array(domainListing),
    checks: z
      .array(z.object({ check: z.string(), answered: z.boolean(), reason: z.string().nullable() }))
      .meta({ description: 'Every check tried; a check without an answer says why.' }),
    engine: engine.nullable(),
    duration_ms: milliseconds,
  })
  .meta({ id: 'DomainResult' });
export type DomainResult = z.infer<typeof domainResult>;

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
