import { roundTo } from '../../../../foundation/numbers.ts';
import type { ArticleFinding } from '../../engines/articles/finding.ts';
import type { GenreFinding } from '../../engines/context/genre.ts';
import type { ScamFinding } from '../../engines/scam/scam.ts';
import { reasonFields } from '../../reasons.ts';
import { COMPONENTS, type ComponentName } from '../../resources/component-name.ts';
import { SCORES, type ScoreName, type VerdictProfile } from '../../resources/verdict-config.ts';
import type { VerdictResult } from '../../resources/verdict-result.ts';
import {
  type OverrideCode,
  overrideRule,
  type RiskCategory,
  type VerdictRules,
} from '../../resources/verdict-rules.ts';
import type { Outcomes, VerdictFacts } from '../../session/outcome.ts';
import { bandWithHysteresis, confidenceLevelOf, isTooUncertain } from './bands.ts';
import { type Confidence, type ConfidenceInput, confidenceOf, NO_WEIGHTS } from './confidence.ts';
import {
  type ActiveOverride,
  activeOverrides,
  combine,
  isContradictory,
  type OverrideInputs,
} from './overrides.ts';
import { type Scores, scoresOf } from './scores.ts';
import { appliedWeights, reliabilities, weightedSum } from './weights.ts';

const RISK_PLACES = 1;

/** The result of the context rules. */
export interface ContextFinding {
  /** 0 to 100; null when there is no text to read. */
  score: number | null;
  /** Share of the context rules that had something to measure, 0 to 1. */
  quality: number;
  genre: GenreFinding | null;
  /** The scam lure that the text was recognised as; null or absent when none. */
  scam?: ScamFinding | null;
  /** What the models of whole articles say; null when there is no text to read. */
  article: ArticleFinding | null;
  /** Lines for the record. */
  summary: Record<string, unknown>;
}

/** The rules of a verdict, and their weights for the kind of content. */
export interface VerdictBasis {
  readonly rules: VerdictRules;
  readonly profile: VerdictProfile;
}

/** The verdict before the texts and the virality are added. */
export type Judgement = Pick<
  VerdictResult,
  | 'risk_score'
  | 'risk_category'
  | 'risk_category_color'
  | 'risk_level'
  | 'risk_level_color'
  | 'severity'
  | 'recommended_action'
  | 'confidence'
  | 'confidence_level'
  | `score_${ScoreName}`
  | 'applied_weights'
  | 'override_applied'
  | 'override_type'
  | 'override_reason'
  | 'override_reason_ro'
  | 'override_adjustment'
  | 'components_used'
  | 'weights_source'
  | 'rules_version'
> & { context_summary: Record<string, unknown>; contradictory: boolean; agreement: number };

/** Components that ran to an answer, scored or not. */
function componentsUsed(outcomes: Outcomes): ComponentName[] {
  return COMPONENTS.filter((name) => outcomes[name].state === 'ran');
}

/** Context concerns presentation; alone it does not support a category. */
const isContextAlone = (scores: Scores) =>
  SCORES.every((name) => name === 'context' || scores[name] === null);

/**
 * The verdict of one analysis. With no score at all there is no risk score (null), the weights are 0 and the category
 * is inconclusive; with the context score alone there is a number, and the category is inconclusive too. A value that
 * a person decided always has its band.
 */
export function computeVerdict(
  outcomes: Outcomes,
  context: ContextFinding,
  { rules, profile }: VerdictBasis,
  facts: VerdictFacts,
): Judgement {
  const used = componentsUsed(outcomes);
  const scores = scoresOf(outcomes, context.score);
  const tooFew = used.length < profile.min_components || isContextAlone(scores);
  const applied = appliedWeights(profile, scores, reliabilities(outcomes));
  const weights = applied ?? NO_WEIGHTS;
  const base = weightedSum(weights, scores);
  const overrides = activeOverrides({
    rules,
    outcomes,
    scores,
    weights,
    ...foundInContext(context),
    facts,
    tooFew,
  });
  const scored = applied !== undefined || facts.human_risk_score !== undefined;
  const { result, binding } = scored
    ? combine(base, overrides, profile.override_cap)
    : { result: base, binding: [] };
  const riskScore = scored ? roundTo(result, RISK_PLACES) : null;
  const confidence = confidenceOf({
    outcomes,
    rules,
    profile,
    scores,
    weights: applied,
    contextQuality: context.quality,
    facts,
    riskScore,
    tooFew,
  });
  return {
    risk_score: riskScore,
    ...categoryFields(categoryFor(rules, { riskScore, tooFew, confidence, facts })),
    confidence: confidence.value,
    confidence_level: confidenceLevelOf(rules, confidence.value),
    ...scoreFields(scores),
    applied_weights: weights,
    ...overrideFields(rules, binding[0]),
    override_adjustment: result - base,
    context_summary: {
      ...context.summary,
      base,
      components: componentLines(outcomes),
      overrides: overrideLines(rules, overrides, binding),
      contradictory_overrides: isContradictory(overrides),
      confidence,
    },
    components_used: used,
    weights_source: `${profile.profile_code}@${rules.version}`,
    rules_version: rules.version,
    contradictory: isContradictory(overrides),
    agreement: confidence.agreement,
  };
}

function foundInContext({
  genre,
  scam = null,
  article,
}: ContextFinding): Pick<OverrideInputs, 'genre' | 'scam' | 'oneSided'> {
  return { genre, scam, oneSided: article?.one_sided ?? null };
}

function categoryFor(
  rules: VerdictRules,
  {
    riskScore,
    tooFew,
    confidence,
    facts,
  }: Pick<ConfidenceInput, 'riskScore' | 'tooFew' | 'facts'> & {
    confidence: Confidence;
  },
): RiskCategory {
  if (riskScore === null) return rules.inconclusive;
  const decidedByPerson = facts.human_risk_score !== undefined;
  if (!decidedByPerson && (tooFew || isTooUncertain(rules, confidence.value))) return rules.inconclusive;
  return bandWithHysteresis(rules, riskScore, facts.previous_category);
}

function categoryFields(band: RiskCategory) {
  return {
    risk_category: band.risk_category,
    risk_category_color: band.color_hex,
    risk_level: band.risk_level,
    risk_level_color: band.color_hex,
    severity: band.severity,
    recommended_action: band.recommended_action,
  };
}

/** The override of the highest rank that set the number. */
function overrideFields(rules: VerdictRules, type: OverrideCode | undefined) {
  const row = type === undefined ? undefined : overrideRule(rules, type);
  return {
    override_applied: row !== undefined,
    override_type: row?.code ?? null,
    override_reason: row?.reason_en ?? null,
    override_reason_ro: row?.reason_ro ?? null,
  };
}

function scoreFields(scores: Scores) {
  return {
    score_manipulation: scores.manipulation,
    score_claims: scores.claims,
    score_ai: scores.ai,
    score_source: scores.source,
    score_context: scores.context,
  };
}

function componentLines(outcomes: Outcomes) {
  return COMPONENTS.map((component) => {
    const outcome = outcomes[component];
    if (outcome.state !== 'ran') return { component, state: outcome.state, ...reasonFields(outcome.reason) };
    const { state, reliability, quality, fallbacks, out_of_scope } = outcome;
    return { component, state, reliability, quality, fallbacks, out_of_scope };
  });
}

/** Every override whose condition held; `set_the_number` marks those that decided it. */
function overrideLines(
  rules: VerdictRules,
  overrides: readonly ActiveOverride[],
  binding: readonly OverrideCode[],
) {
  return overrides.map(({ code, rank, kind, value }) => {
    const { reason_en, reason_ro } = overrideRule(rules, code);
    return { code, rank, kind, value, set_the_number: binding.includes(code), reason_en, reason_ro };
  });
}
