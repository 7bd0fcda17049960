import { clamp } from '../../../../foundation/numbers.ts';
import type { GenreFinding } from '../../engines/context/genre.ts';
import type { ScamFinding } from '../../engines/scam/scam.ts';
import { type ClaimItem, isAttributedToOthers } from '../../resources/claims-result.ts';
import { SCORED_COMPONENTS } from '../../resources/component-blocks.ts';
import { SCORES, type ScoreName } from '../../resources/verdict-config.ts';
import { type OverrideCode, overrideRule, type VerdictRules } from '../../resources/verdict-rules.ts';
import type { Outcomes, VerdictFacts } from '../../session/outcome.ts';
import { isDecidedStatus, isFalseStatus } from './claim-statuses.ts';
import { hasConclusiveIndicator, independentSources, isCorroborated, type Scores } from './scores.ts';
import type { Weights } from './weights.ts';

/** Everything that an override condition may look at. */
export interface OverrideInputs {
  rules: VerdictRules;
  outcomes: Outcomes;
  scores: Scores;
  weights: Weights;
  genre: GenreFinding | null;
  scam: Pick<ScamFinding, 'confidence'> | null;
  /** Chance, 0 to 1, that the text is an article that takes sides; null where that cannot be told. */
  oneSided: number | null;
  facts: VerdictFacts;
  /** Fewer than min_components of the four components ran. */
  tooFew: boolean;
}

/** A rule whose condition holds, with its number: a floor, a ceiling, a shift, or the value that a person set. */
export interface ActiveOverride {
  code: OverrideCode;
  rank: number;
  kind: string;
  capped: boolean;
  value: number | null;
}

/** The rules whose conditions hold, by rank. */
export function activeOverrides(situation: OverrideInputs): ActiveOverride[] {
  const { rules } = situation;
  const satire = isLabelledSatire(situation);
  const floors = activeFloors(situation, satire);
  const others: ActiveOverride[] = [];
  const human = situation.facts.human_risk_score;
  if (human !== undefined) others.push(active(rules, 'human_ground_truth', human));
  if (satire) others.push(withOwnValue(rules, 'explicit_satire'));
  if (isPersuasionOnly(situation, floors)) others.push(withOwnValue(rules, 'persuasion_only'));
  const disclosure = disclosureShift(situation, floors);
  if (disclosure < 0) others.push(active(rules, 'explicit_ai_disclosure', disclosure));
  if (isTrustedSource(situation, floors)) others.push(withOwnValue(rules, 'trusted_source'));
  if (situation.tooFew) others.push(active(rules, 'insufficient_components', null));
  return [...floors, ...others].sort((a, b) => a.rank - b.rank);
}

function active(rules: VerdictRules, code: OverrideCode, value: number | null): ActiveOverride {
  const { rank, kind, capped } = overrideRule(rules, code);
  return { code, rank, kind, capped, value };
}

/** A rule with the number that it has by itself: its floor, its ceiling or its shift. */
function withOwnValue(rules: VerdictRules, code: OverrideCode): ActiveOverride {
  const { value } = overrideRule(rules, code);
  if (typeof value !== 'number') throw new Error(`override ${code} has no number`);
  return active(rules, code, value);
}

/** Floors need min_components: too few checks may not push a result up. */
function activeFloors(situation: OverrideInputs, satire: boolean): ActiveOverride[] {
  if (situation.tooFew) return [];
  const conditions: [OverrideCode, boolean][] = [
    ['known_false_match', !satire && isKnownFalse(situation)],
    ['verified_false_majority', !satire && isFalseMajority(situation)],
    ['undisclosed_synthetic_as_real', isUndisclosedSynthetic(situation)],
    ['domain_blacklisted', isBlacklisted(situation.outcomes.domain)],
    ['peak_signal', !satire && hasPeakSignal(situation)],
    ['scam_lure', !satire && isLure(situation)],
    ['one_sided_article', !satire && isOneSided(situation)],
  ];
  return conditions
    .filter(([, holds]) => holds)
    .map(([code]) =>
      code === 'known_false_match' ? knownFalseFloor(situation) : withOwnValue(situation.rules, code),
    );
}

/** The floor of the rule, or a lower one where refuted claims are a small part of the text. */
function knownFalseFloor({ rules, facts: { known_false_match: match } }: OverrideInputs): ActiveOverride {
  const floor = withOwnValue(rules, 'known_false_match');
  const { small_share: small, small_share_floor: value } = rules.thresholds.known_false_match;
  return (match?.share ?? 1) < small ? { ...floor, value } : floor;
}

function isKnownFalse({ rules, facts: { known_false_match: match } }: OverrideInputs): boolean {
  return match?.entails === true && match.similarity >= rules.thresholds.known_false_match.similarity;
}

function isFalseMajority({ rules, outcomes: { claims } }: OverrideInputs): boolean {
  if (claims.state !== 'ran') return false;
  const { verified_false_majority: needed, check_worthy_from } = rules.thresholds;
  const decided = claims.block.claims_verified.filter(
    (claim) =>
      isDecidedStatus(claim.status) && isCheckWorthy(claim, check_worthy_from) && !isOthersRefuted(claim),
  );
  const supported = decided.filter((claim) => independentSources(claim) >= needed.sources);
  const refuted = supported.filter((claim) => isFalseStatus(claim.status));
  return supported.length >= needed.decided && refuted.length / decided.length >= needed.false_share;
}

/** Check-worthy by the models, or because a fact-check of it exists. */
function isCheckWorthy({ checkworthiness, previous_fact_checks: checks }: ClaimItem, from: number): boolean {
  return checkworthiness >= from || checks.some(({ match }) => match === 'confirmed');
}

const isOthersRefuted = (claim: ClaimItem) => isFalseStatus(claim.status) && isAttributedToOthers(claim);

function isUndisclosedSynthetic({ outcomes, facts }: OverrideInputs): boolean {
  const ai = outcomes.ai_tampered;
  if (ai.state !== 'ran' || facts.presented_as_real !== true) return false;
  return hasConclusiveIndicator(ai.block) && !ai.block.disclosure_explicit;
}

function isBlacklisted(domain: Outcomes['domain']): boolean {
  if (domain.state !== 'ran' || domain.block.is_blacklisted !== true) return false;
  return domain.block.lists.some((row) => row.harmful && row.list !== '' && row.updated_at !== null);
}

/** Whether a score may move an override; score_ai needs a corroborated finding, and one that the content does not declare itself. */
function counts(name: ScoreName, { rules, outcomes }: Pick<OverrideInputs, 'rules' | 'outcomes'>): boolean {
  if (name !== 'ai') return true;
  const ai = outcomes.ai_tampered;
  // Content that discloses its use of AI must not score worse than content that hides it.
  return (
    ai.state === 'ran' &&
    !ai.block.disclosure_explicit &&
    isCorroborated(ai.block, rules.thresholds.detector_families)
  );
}

function hasPeakSignal({ rules, outcomes, scores }: OverrideInputs): boolean {
  const needed = rules.thresholds.peak_signal;
  return SCORES.some((name) => {
    const component = SCORED_COMPONENTS[name];
    if (component === null) return false;
    const outcome = outcomes[component];
    if (outcome.state !== 'ran' || outcome.quality < needed.confidence) return false;
    return (scores[name] ?? 0) >= needed.score && counts(name, { rules, outcomes });
  });
}

function isLure({ rules, scam }: OverrideInputs): boolean {
  return scam !== null && scam.confidence >= rules.thresholds.scam_lure.confidence;
}

function isOneSided({ rules, oneSided, outcomes }: OverrideInputs): boolean {
  if (oneSided === null || oneSided < rules.thresholds.one_sided_article.chance) return false;
  return !isOfTrustedSource(rules, outcomes.domain);
}

const isOfTrustedSource = ({ thresholds }: VerdictRules, domain: Outcomes['domain']): boolean =>
  domain.state === 'ran' && (domain.block.trust_score ?? 0) >= thresholds.trusted_source.trust;

/** Floors that rest on wording alone: persuasion_only holds beside them. */
const WORDING: ReadonlySet<OverrideCode> = new Set(['peak_signal', 'scam_lure', 'one_sided_article']);

function isLabelledSatire({ rules, genre, facts }: OverrideInputs): boolean {
  if (genre === null || genre.code !== 'satire' || !genre.labelled || facts.label_dropped === true)
    return false;
  return genre.confidence >= rules.thresholds.explicit_satire.genre_confidence;
}

function isPersuasionOnly(
  { rules, scores, outcomes }: OverrideInputs,
  floors: readonly ActiveOverride[],
): boolean {
  if (floors.some((floor) => !WORDING.has(floor.code))) return false;
  const substantial = (['claims', 'source', 'ai'] as const).some(
    (name) =>
      (scores[name] ?? 0) >= rules.thresholds.persuasion_only.score && counts(name, { rules, outcomes }),
  );
  return !substantial;
}

/** Shift for disclosed AI: minus the smaller of `limit` and `share` times what the AI score added; 0 when it does not apply. */
function disclosureShift(situation: OverrideInputs, floors: readonly ActiveOverride[]): number {
  const ai = situation.outcomes.ai_tampered;
  if (ai.state !== 'ran' || !ai.block.disclosure_explicit) return 0;
  if (floors.some((floor) => floor.code === 'known_false_match' || floor.code === 'verified_false_majority'))
    return 0;
  const { limit, share } = situation.rules.thresholds.explicit_ai_disclosure;
  return -Math.min(limit, share * situation.weights.ai * (situation.scores.ai ?? 0));
}

function isTrustedSource({ rules, outcomes }: OverrideInputs, floors: readonly ActiveOverride[]): boolean {
  const { domain, claims } = outcomes;
  if (floors.length > 0) return false;
  const refuted =
    claims.state === 'ran' &&
    claims.block.claims_verified.some((item) => isFalseStatus(item.status) && !isAttributedToOthers(item));
  return !refuted && isOfTrustedSource(rules, domain);
}

/** The number after all overrides, and which of them set it. */
export interface OverrideResult {
  /** 0 to 100, unrounded. */
  result: number;
  /** Codes that set the number at their step, by rank. */
  binding: OverrideCode[];
}

/**
 * target = max(floors, min(ceilings, base + shifts)) over the capped rules, its distance from the base clamped to the
 * cap; then the uncapped floors (scam_lure, one_sided_article) raise and persuasion_only lowers the result; then a human value replaces it.
 */
export function combine(base: number, overrides: readonly ActiveOverride[], cap: number): OverrideResult {
  const capped = overrides.filter((rule) => rule.capped);
  const floor = strongest(capped, 'floor');
  const ceiling = strongest(capped, 'ceiling');
  const shifts = capped.filter((rule) => rule.kind === 'shift');
  let target = base + shifts.reduce((sum, rule) => sum + (rule.value ?? 0), 0);
  let binding = shifts.map((rule) => rule.code);
  if (ceiling !== undefined && ceiling.value < target) {
    target = ceiling.value;
    binding = [ceiling.code];
  }
  if (floor !== undefined && floor.value > target) {
    target = floor.value;
    binding = [floor.code];
  }
  let result = base + clamp(target - base, -cap, cap);
  const uncapped = strongest(
    overrides.filter((rule) => !rule.capped),
    'floor',
  );
  if (uncapped !== undefined && uncapped.value > result) {
    result = uncapped.value;
    binding = [uncapped.code];
  }
  const persuasion = overrides.find((rule) => rule.code === 'persuasion_only');
  if (persuasion?.value != null && persuasion.value < result) {
    result = persuasion.value;
    binding = [...binding, persuasion.code];
  }
  const human = overrides.find((rule) => rule.kind === 'set');
  if (human?.value != null) {
    result = human.value;
    binding = [human.code];
  }
  result = clamp(result, 0, 100);
  return { result, binding: result === base ? [] : byRank(binding, overrides) };
}

/** The highest floor or the lowest ceiling; the rule of higher rank when two have the same number. */
function strongest(rules: readonly ActiveOverride[], kind: 'floor' | 'ceiling') {
  const sign = kind === 'floor' ? 1 : -1;
  let best: { code: OverrideCode; value: number } | undefined;
  for (const { code, value, kind: own } of rules) {
    if (own !== kind || value === null) continue;
    if (best === undefined || sign * value > sign * best.value) best = { code, value };
  }
  return best;
}

function byRank(codes: OverrideCode[], overrides: readonly ActiveOverride[]): OverrideCode[] {
  return overrides.filter((rule) => codes.includes(rule.code)).map((rule) => rule.code);
}

/** Whether an active floor lies above an active ceiling: two rules that contradict each other. */
export function isContradictory(overrides: readonly ActiveOverride[]): boolean {
  const numbers = (kind: string) =>
    overrides.filter((rule) => rule.kind === kind).map((rule) => rule.value ?? 0);
  const floors = numbers('floor');
  const ceilings = numbers('ceiling');
  return floors.some((floor) => ceilings.some((ceiling) => floor > ceiling));
}
