import { clamp, roundTo } from '../../../../foundation/numbers.ts';
import { SCORES, type VerdictProfile } from '../../resources/verdict-config.ts';
import type { VerdictRules } from '../../resources/verdict-rules.ts';
import type { Outcome, Outcomes, VerdictFacts } from '../../session/outcome.ts';
import { distanceToEdge } from './bands.ts';
import { applicableScores, independentSources, type Scores, valuesByScore } from './scores.ts';
import { type Weights, weightsByScore } from './weights.ts';

const CONFIDENCE_PLACES = 4;
/** Standard deviation of the scores, in points, at which agreement is 0. */
const NO_AGREEMENT_AT = 50;

type ConfidenceModel = VerdictRules['confidence_model'];
type PenaltyCode = keyof ConfidenceModel['penalties'];

/** A factor that lowered the confidence, and how many times it was applied. */
export interface Penalty {
  code: PenaltyCode;
  factor: number;
  times: number;
}

/** The confidence with everything needed to redo it. */
export interface Confidence {
  coverage: number;
  quality: number;
  agreement: number;
  /** Quality behind each score, 0 to 1. */
  qualities: Weights;
  penalties: Penalty[];
  caps: { code: string; value: number }[];
  /** 0 to 1, four places. */
  value: number;
}

/** What the confidence is computed from. */
export interface ConfidenceInput {
  outcomes: Outcomes;
  rules: VerdictRules;
  profile: VerdictProfile;
  scores: Scores;
  /** Undefined when nothing was scored: then the confidence is 0. */
  weights: Weights | undefined;
  contextQuality: number;
  facts: VerdictFacts;
  riskScore: number | null;
  tooFew: boolean;
}

/** confidence = coverage^a * quality^b * agreement^c * penalties, then the caps; exponents in the rules. */
export function confidenceOf(input: ConfidenceInput): Confidence {
  const { outcomes, rules, scores, weights } = input;
  const model = rules.confidence_model;
  const qualities = qualitiesOf(outcomes, input.contextQuality);
  const coverage = coverageOf(input);
  const quality =
    weights === undefined ? 0 : SCORES.reduce((sum, name) => sum + weights[name] * qualities[name], 0);
  const agreement = weights === undefined ? 0 : agreementOf(model, weights, scores);
  const penalties = penaltiesOf(input);
  const caps = capsOf(input);
  const { exponents } = model;
  let value =
    coverage ** exponents.coverage * quality ** exponents.quality * agreement ** exponents.agreement;
  for (const penalty of penalties) value *= penalty.factor ** penalty.times;
  for (const cap of caps) value = Math.min(value, cap.value);
  value = roundTo(clamp(value, 0, 1), CONFIDENCE_PLACES);
  return { coverage, quality, agreement, qualities, penalties, caps, value };
}

function qualitiesOf(outcomes: Outcomes, contextQuality: number): Weights {
  return valuesByScore(outcomes, clamp(contextQuality, 0, 1), (outcome) =>
    outcome.state === 'ran' ? clamp(outcome.quality, 0, 1) : 0,
  );
}

/** Share of the profile's weight that was used, of the weight of the scores that were requested and apply. */
function coverageOf({ outcomes, profile, scores }: ConfidenceInput): number {
  const applicable = applicableScores(outcomes, scores);
  const weigh = (counts: (name: (typeof SCORES)[number]) => boolean) =>
    SCORES.filter(counts).reduce((sum, name) => sum + profile.weights[name], 0);
  const whole = weigh((name) => applicable[name]);
  return whole <= 0 ? 0 : weigh((name) => scores[name] !== null) / whole;
}

/** 1 - weighted standard deviation / 50; a constant of the rules when only one score was used. */
export function agreementOf(model: ConfidenceModel, weights: Weights, scores: Scores): number {
  const used = SCORES.filter((name) => scores[name] !== null && weights[name] > 0);
  if (used.length <= 1) return model.agreement_with_one_component;
  const mean = used.reduce((sum, name) => sum + weights[name] * (scores[name] ?? 0), 0);
  const variance = used.reduce((sum, name) => sum + weights[name] * ((scores[name] ?? 0) - mean) ** 2, 0);
  return clamp(1 - Math.sqrt(variance) / NO_AGREEMENT_AT, 0, 1);
}

function penaltiesOf({ outcomes, rules, facts, riskScore }: ConfidenceInput): Penalty[] {
  const model = rules.confidence_model;
  const all = Object.values(outcomes);
  const outside =
    facts.text_length !== null && (facts.language === null || !model.languages.includes(facts.language));
  const counted: [PenaltyCode, number][] = [
    ['model_fallback', Math.min(model.max_fallbacks_counted, sum(all.map(fallbacksOf)))],
    ['degraded_component', sum(all.map(degradedOf)) + (facts.material_losses ?? 0)],
    ['short_text', facts.text_length !== null && facts.text_length < model.short_text_below ? 1 : 0],
    ['out_of_scope_media', all.some((outcome) => outcome.state === 'ran' && outcome.out_of_scope) ? 1 : 0],
    ['language_outside_ro_en', outside ? 1 : 0],
    ['unusual_form', (facts.text_form ?? 'prose') === 'prose' ? 0 : 1],
    [
      'near_band_edge',
      riskScore !== null && distanceToEdge(rules, riskScore) <= model.near_band_edge_points ? 1 : 0,
    ],
  ];
  return counted
    .filter(([, times]) => times > 0)
    .map(([code, times]) => ({ code, factor: model.penalties[code], times }));
}

/** An engine that replaced a lost dependency counts as one fallback, even when no model of a chain was tried. */
function fallbacksOf(outcome: Outcome<unknown>): number {
  if (outcome.state !== 'ran') return 0;
  return Math.max(outcome.fallbacks, outcome.reliability === 'fallback' ? 1 : 0);
}

/** A lost component lowers the confidence at least as much as a degraded one. */
function degradedOf(outcome: Outcome<unknown>): number {
  return outcome.state === 'lost' || (outcome.state === 'ran' && outcome.reliability === 'degraded') ? 1 : 0;
}

function capsOf({ outcomes, rules, riskScore, tooFew }: ConfidenceInput): { code: string; value: number }[] {
  const model = rules.confidence_model;
  const caps: { code: string; value: number }[] = [];
  const { claims } = outcomes;
  const evidence =
    claims.state === 'ran' && claims.block.claims_verified.some((claim) => independentSources(claim) > 0);
  if (!evidence && riskScore !== null && riskScore >= model.evidence_needed_from) {
    caps.push({ code: 'without_independent_evidence', value: model.cap_without_independent_evidence });
  }
  if (tooFew) caps.push({ code: 'below_min_components', value: model.cap_below_min_components });
  return caps;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The weights of a profile in which nothing was used. */
export const NO_WEIGHTS: Weights = weightsByScore(() => 0);
