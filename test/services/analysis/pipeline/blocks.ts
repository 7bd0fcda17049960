import type {
  AiTamperedResult,
  IndicatorItem,
} from '../../../../src/services/analysis/resources/ai-tampered-result.ts';
import type {
  ClaimItem,
  ClaimsResult,
  EvidenceItem,
} from '../../../../src/services/analysis/resources/claims-result.ts';
import type { DomainResult } from '../../../../src/services/analysis/resources/domain-result.ts';
import type { TechniquesResult } from '../../../../src/services/analysis/resources/techniques-result.ts';
import type { VerdictResult } from '../../../../src/services/analysis/resources/verdict-result.ts';
import type {
  Outcomes,
  RanOutcome,
  VerdictFacts,
} from '../../../../src/services/analysis/session/outcome.ts';

const engine = { model: 'limpede-test-1', version: '1', duration_ms: 1 };
const span = { start: 0, end: 4, start_utf16: 0, end_utf16: 4, quote: 'text' };

/** A block with this manipulation score and no findings, unless given. */
export function techniquesBlock(
  manipulation_score: number | null,
  over: Partial<TechniquesResult> = {},
): TechniquesResult {
  return {
    manipulation_score,
    total_severity: 0,
    dimensions_affected: [],
    techniques_count: 0,
    techniques_detected: [],
    diffuse_evidence: null,
    coupling_context: null,
    llm_screening: null,
    llm_deep: null,
    screening_duration_ms: 1,
    deep_analysis_duration_ms: null,
    total_duration_ms: 1,
    fallbacks_screening: 0,
    fallbacks_deep: 0,
    ...over,
  };
}

/** A detector trace. */
export function indicator(
  category: string,
  strength: string,
  over: Partial<IndicatorItem> = {},
): IndicatorItem {
  return {
    category,
    code: 'detector_ensemble',
    strength,
    confidence: 0.9,
    where: null,
    dependency: 'own',
    raw_score: null,
    cautions: [],
    explanation_en: 'A trace.',
    explanation_ro: 'O urmă.',
    engine,
    ...over,
  };
}

/** The verdict of a detector that decides. */
function aiVerdict(probability: number | null): string {
  if (probability === null) return 'inconclusive';
  return probability >= 60 ? 'likely_ai_or_tampered' : 'no_ai_or_tampering_found';
}

/** A block with this probability (0 to 100), decided by it. */
export function aiBlock(
  ai_probability: number | null,
  over: Partial<AiTamperedResult> = {},
): AiTamperedResult {
  const indicators = over.indicators_detected ?? [];
  return {
    ai_probability,
    reason_code: null,
    reason: null,
    reason_ro: null,
    verdict: aiVerdict(ai_probability),
    risk_score: ai_probability,
    categories_affected: [...new Set(indicators.map((item) => item.category))],
    indicators_count: indicators.length,
    disclosure_detected: over.disclosure_explicit ?? false,
    disclosure_explicit: false,
    disclosure_text: null,
    indicators_detected: indicators,
    evidence_grade: 'D',
    content_type: 'text',
    image_analysis: null,
    leading_pictures: null,
    recording_analysis: null,
    llm_screening: null,
    llm_deep: null,
    total_duration_ms: 1,
    ...over,
  };
}

/** Evidence from one site. */
export function evidence(site: string, stance: string): EvidenceItem {
  return {
    url: `https://${site}/a`,
    title: 'A page',
    publisher: site,
    snippet: null,
    relevance_score: 0.9,
    credibility_score: null,
    published_at: null,
    retrieved_at: '2026-01-01T00:00:00Z',
    full_text_hash: null,
    provenance: null,
    stance,
    quote: 'as the page says',
    independent_group: null,
  };
}

/** A claim of a status with evidence from so many sites. */
export function claim(status: string, sites: number, over: Partial<ClaimItem> = {}): ClaimItem {
  const stance = status === 'verified_false' ? 'refutes' : 'supports';
  return {
    id: 'c1',
    text: 'The dam caused the flood.',
    span,
    type: 'causal',
    status,
    confidence: 0.8,
    checkworthiness: 0.9,
    evidence: Array.from({ length: sites }, (_, index) => evidence(`site${index}.example`, stance)),
    previous_fact_checks: [],
    searched: false,
    reviewed_at: null,
    voice: 'author',
    queries: [],
    explanation_en: 'Sources agree.',
    explanation_ro: 'Sursele concordă.',
    engine,
    ...over,
  };
}

/** A block with these claims. */
export function claimsBlock(
  credibility_score: number | null,
  items: ClaimItem[] = [],
  over: Partial<ClaimsResult> = {},
): ClaimsResult {
  const of = (status: string) => items.filter((item) => item.status === status).length;
  return {
    total_claims: items.length,
    verified_true: of('verified_true'),
    verified_false: of('verified_false'),
    unverified: of('unverified'),
    opinions: of('opinion'),
    credibility_score,
    interpretation:
      credibility_score !== null ? 'mixed' : items.length > 0 ? 'undecided' : 'nothing_to_check',
    claims_by_status: {},
    claims_by_type: {},
    claims_verified: items,
    llm_extraction: null,
    llm_verification: null,
    web_searches_made: 0,
    total_duration_ms: 1,
    ...over,
  };
}

/** A source with this trust. */
export function domainBlock(trust_score: number | null, over: Partial<DomainResult> = {}): DomainResult {
  return {
    domain: 'news.example',
    trust_score,
    verdict: null,
    risk_level: null,
    age_days: null,
    is_blacklisted: false,
    has_ssl: true,
    ssl_valid: true,
    red_flags: [],
    warnings: [],
    lists: [],
    checks: [],
    engine,
    duration_ms: 1,
    ...over,
  };
}

/** A component that ran as planned with good ground. */
export function ran<Block>(block: Block, over: Partial<RanOutcome<Block>> = {}): RanOutcome<Block> {
  return {
    state: 'ran',
    block,
    reliability: 'planned',
    quality: 0.85,
    fallbacks: 0,
    out_of_scope: false,
    ...over,
  };
}

export const skipped = { state: 'skipped', reason: { code: 'left_out_by_request', values: {} } } as const;
export const lost = { state: 'lost', reason: { code: 'component_failed', values: {} } } as const;

/** A calm article: everything ran and nothing was found. */
export function calm(over: Partial<Outcomes> = {}): Outcomes {
  return {
    techniques: ran(techniquesBlock(4)),
    ai_tampered: ran(aiBlock(8)),
    claims: ran(
      claimsBlock(90, [claim('verified_true', 3), claim('verified_true', 3), claim('verified_true', 2)]),
    ),
    domain: ran(domainBlock(88)),
    ...over,
  };
}

/** An English text of usual length about which nothing else is known. */
export const usualFacts: VerdictFacts = { text_length: 3000, language: 'en' };

/** The record of a verdict without risk, unless given. */
export function verdictRecord(over: Partial<VerdictResult> = {}): VerdictResult {
  return {
    risk_score: 12.5,
    risk_category: 'no_significant_risk',
    risk_category_color: '#1B5E20',
    risk_level: 'minimal',
    risk_level_color: '#1B5E20',
    severity: 'none',
    recommended_action: 'none',
    confidence: 0.5,
    confidence_level: 'medium',
    score_manipulation: 12.5,
    score_claims: null,
    score_ai: null,
    score_source: null,
    score_context: null,
    applied_weights: { manipulation: 1, claims: 0, ai: 0, source: 0, context: 0 },
    override_applied: false,
    override_type: null,
    override_reason: null,
    override_reason_ro: null,
    override_adjustment: 0,
    context_summary: {},
    components_used: ['techniques'],
    weights_source: 'default_text@1.0.0',
    rules_version: '1.0.0',
    duration_ms: 1,
    explanation_en: 'Nothing was found.',
    explanation_ro: 'Nu s-a găsit nimic.',
    virality_score: null,
    virality_level: null,
    virality_factors: [],
    ...over,
  };
}
