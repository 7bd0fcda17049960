import type { LocalizedText } from '../../../../foundation/localized-text.ts';
import type { RuleLine } from '../../engines/context/context.ts';
import type { GenreFinding } from '../../engines/context/genre.ts';
import type { ScamFinding } from '../../engines/scam/scam.ts';
import type { IndicatorItem } from '../../resources/ai-tampered-result.ts';
import type { ClaimItem, ClaimsResult } from '../../resources/claims-result.ts';
import { COMPONENTS, type ComponentName } from '../../resources/component-name.ts';
import { byWeight, countedPassages, findingWeight, passageWeight } from '../../resources/technique-weight.ts';
import type { TechniqueItem } from '../../resources/techniques-result.ts';
import { SCORES, type ScoreName } from '../../resources/verdict-config.ts';
import { type OverrideCode, overrideRule, type VerdictRules } from '../../resources/verdict-rules.ts';
import type { Outcomes } from '../../session/outcome.ts';
import { isDecidedStatus } from '../verdict/claim-statuses.ts';
import type { Judgement } from '../verdict/judge.ts';
import { type NearReview, nearReviewOf } from './near-review.ts';
import { isOpen, type Lookup, lookupOf, type UncheckedClaim, uncheckedClaimOf } from './unchecked-claim.ts';

/** A finding with a passage that shows it. */
export interface QuotedFinding {
  name: LocalizedText;
  quote: string | null;
}

/** The facts that an explanation may state, independent of language; null where there is nothing to state. */
export interface Facts {
  score: number | null;
  category: LocalizedText;
  inconclusive: boolean;
  confidence: number;
  override: { reason: LocalizedText; from: number; to: number } | null;
  /** Passages and kinds that count in the score, the strongest first; `listed`: others are listed that do not count. */
  techniques: { count: number; kinds: number; listed: boolean; strongest: QuotedFinding[] } | null;
  /** No engine reads the language of the text, so that its wording was not judged. */
  wordingUnread: boolean;
  /** Mildly manipulative sentences, each too weak for the list of techniques: their share, 0 to 1, and the strongest. */
  diffuse: { share: number; quote: string } | null;
  claims: {
    total: number;
    verifiedTrue: number;
    verifiedFalse: number;
    partly: number;
    undecided: number;
    opinions: number;
    refuted: string | null;
    /** Undecided claims by what looking them up brought. */
    lookups: Record<Lookup, number>;
  } | null;
  /** `lists`: those that name the source as unreliable. */
  source: { domain: string; trust: number | null; lists: string[] } | null;
  ai: { verdict: string; probability: number | null; sign: LocalizedText | null; isPicture: boolean } | null;
  /** The facts about the leading pictures of a page that an explanation states. */
  pictures: { kind: 'decided' | 'traces' | 'declared'; sign: LocalizedText | null } | null;
  /** That the content is labelled satire or calls itself so; null when neither, or when the override says so already. */
  label: LocalizedText | null;
  context: QuotedFinding[];
  /** The lure that the text is: its name, its passages, what not to do and whom to ask. */
  scam: { name: LocalizedText; quotes: string[]; advice: LocalizedText } | null;
  /** Points that each score contributed to the risk; the explanation begins with the largest. */
  points: Record<ScoreName, number>;
  lost: ComponentName[];
  /** An undecided claim that is near to one which reviewers found false. */
  nearReview: NearReview | null;
  /** A sensitive claim that was not checked, and how to check it. */
  unchecked: UncheckedClaim | null;
  advice: LocalizedText;
}

/** The facts without what to do about them. */
type FoundFacts = Omit<Facts, 'advice'>;

/** What the explanation is made from. */
export interface ExplanationSubject {
  /** The rules that made the judgement. */
  rules: VerdictRules;
  judgement: Omit<Judgement, 'contradictory' | 'agreement'>;
  outcomes: Outcomes;
}

const STRONGEST_KEPT = 2;
/** Weight of diffuse evidence from which it gets a sentence: alone it makes a score of about 10. */
const TELLING_WEIGHT = 0.25;
/** Verdicts on a picture that rest on traces in it. */
const TRACED = new Set(['strong_evidence', 'likely_ai_or_tampered']);
/** Points from which a context rule gets a sentence: the largest rules reach 18. */
const TELLING_POINTS = 4;

/** Reads from the record what an explanation may state. */
export function factsOf(subject: ExplanationSubject): Facts {
  const { rules, judgement, outcomes } = subject;
  const facts = {
    score: judgement.risk_score,
    category: categoryOf(rules, judgement.risk_category),
    inconclusive: judgement.risk_category === rules.inconclusive.risk_category,
    confidence: judgement.confidence,
    override: overrideOf(judgement),
    techniques: techniquesOf(outcomes.techniques),
    wordingUnread: isUnread(outcomes.techniques),
    diffuse: diffuseOf(outcomes.techniques),
    claims: claimsOf(outcomes.claims),
    source: sourceOf(outcomes.domain),
    ai: judgement.override_type === 'explicit_ai_disclosure' ? null : aiOf(outcomes.ai_tampered),
    pictures: picturesOf(outcomes.ai_tampered),
    label: labelOf(subject),
    context: contextLines(judgement, outcomes.claims),
    scam: scamOf(subject),
    points: pointsOf(judgement),
    lost: COMPONENTS.filter((name) => outcomes[name].state === 'lost'),
    nearReview: nearReviewOf(outcomes.claims),
    unchecked: uncheckedClaimOf(judgement.context_summary, outcomes.claims),
  };
  return { ...facts, advice: adviceOf(subject, facts) };
}

function categoryOf(rules: VerdictRules, code: string): LocalizedText {
  const band = [...rules.risk_bands, rules.inconclusive].find((row) => row.risk_category === code);
  return { en: band?.category_en ?? code, ro: band?.category_ro ?? code };
}

/** What to do where there is no list of evidence to open. */
const LOOK_BEFORE_SHARING: LocalizedText = {
  en: 'Look at the highlighted passages before you pass it on.',
  ro: 'Citiți cu atenție pasajele evidențiate înainte de a distribui.',
};

/** The text of the action that sends content to moderators, as its readers need it. */
const UNDER_REVIEW: LocalizedText = {
  en: 'Do not pass it on as it is: a person should review it first.',
  ro: 'Nu îl dați mai departe așa cum este: trebuie verificat mai întâi de o persoană.',
};

/** The text of a calm category where something was found that decides nothing. */
const NOTHING_DECISIVE: LocalizedText = {
  en: 'The checks that ran found nothing decisive. This is not a certificate of truth.',
  ro: 'Verificările efectuate nu au găsit nimic hotărâtor. Aceasta nu este o certificare a adevărului.',
};

/** The text of a calm category where claims stay open. */
const UNCONFIRMED: LocalizedText = {
  en: 'The checks that ran found nothing against it, but what it claims was not confirmed either. This is not a certificate of truth.',
  ro: 'Verificările efectuate nu au găsit nimic împotriva acestui conținut, dar nici nu au confirmat ceea ce afirmă. Aceasta nu este o certificare a adevărului.',
};

/** The same where some of the claims held. */
const UNCONFIRMED_IN_PART: LocalizedText = {
  en: 'The checks that ran found nothing against it, but did not confirm all that it claims. This is not a certificate of truth.',
  ro: 'Verificările efectuate nu au găsit nimic împotriva acestui conținut, dar nu au confirmat tot ceea ce afirmă. Aceasta nu este o certificare a adevărului.',
};

/** Whether the explanation names something that speaks against the content. */
const namesSomething = ({ techniques, diffuse, claims, nearReview, source, ai, context }: FoundFacts) =>
  (techniques?.count ?? 0) > 0 ||
  diffuse !== null ||
  (claims?.verifiedFalse ?? 0) > 0 ||
  nearReview !== null ||
  (source?.lists ?? []).length > 0 ||
  TRACED.has(ai?.verdict ?? '') ||
  context.length > 0;

const hasEvidence = (claims: Outcomes['claims']) =>
  claims.state === 'ran' && claims.block.claims_verified.some(wasLookedUp);

const hasOpenClaim = (claims: Outcomes['claims']) =>
  claims.state === 'ran' && claims.block.claims_verified.some(isOpen);

/** The recommended action; without one, what the checks know of the content, or else the text of the risk category. */
function adviceOf({ rules, judgement, outcomes }: ExplanationSubject, facts: FoundFacts): LocalizedText {
  const { recommended_action: code, risk_category: category } = judgement;
  const action = rules.recommended_actions.find((row) => row.code === code);
  if (code === 'verify_before_sharing' && !hasEvidence(outcomes.claims)) return LOOK_BEFORE_SHARING;
  if (code === 'human_review') return UNDER_REVIEW;
  if (code === 'none' && namesSomething(facts)) return NOTHING_DECISIVE;
  if (code === 'none' && hasOpenClaim(outcomes.claims))
    return (facts.claims?.verifiedTrue ?? 0) > 0 ? UNCONFIRMED_IN_PART : UNCONFIRMED;
  const band = rules.risk_bands.find((row) => row.risk_category === category);
  const row = code === 'none' ? (band ?? action) : action;
  return { en: row?.text_en ?? code, ro: row?.text_ro ?? code };
}

/** The lure of the record, when it is sure enough to set the number. */
function scamOf({ rules, judgement: { context_summary: summary } }: ExplanationSubject): Facts['scam'] {
  const scam = summary.scam as ScamFinding | null | undefined;
  if (scam == null || scam.confidence < rules.thresholds.scam_lure.confidence) return null;
  return {
    name: { en: scam.name_en, ro: scam.name_ro },
    quotes: scam.spans.slice(0, STRONGEST_KEPT).map(({ quote }) => quote),
    advice: { en: scam.advice_en, ro: scam.advice_ro },
  };
}

function pointsOf(judgement: ExplanationSubject['judgement']): Record<ScoreName, number> {
  const points = SCORES.map((name) => [
    name,
    judgement.applied_weights[name] * (judgement[`score_${name}`] ?? 0),
  ]);
  return Object.fromEntries(points) as Record<ScoreName, number>;
}

function overrideOf(judgement: ExplanationSubject['judgement']): Facts['override'] {
  const { override_reason: en, override_reason_ro: ro, risk_score: to, context_summary: summary } = judgement;
  if (en === null || ro === null || to === null || typeof summary.base !== 'number') return null;
  return { reason: { en, ro }, from: summary.base, to };
}

function techniquesOf(outcome: Outcomes['techniques']): Facts['techniques'] {
  if (outcome.state !== 'ran' || outcome.block.manipulation_score === null) return null;
  const { techniques_detected: listed, techniques_count: count } = outcome.block;
  const items = listed.filter((item) => findingWeight(item) > 0).sort(byWeight);
  const strongest = items.slice(0, STRONGEST_KEPT);
  return {
    count: count - listed.reduce((sum, item) => sum + item.spans.length - countedPassages(item).length, 0),
    listed: listed.length > items.length,
    kinds: new Set(items.map((item) => item.code)).size,
    strongest: strongest.map((item) => ({
      name: { en: item.name_en, ro: item.name_ro },
      quote: strongestPassage(item)?.quote ?? null,
    })),
  };
}

const isUnread = (outcome: Outcomes['techniques']) =>
  outcome.state === 'ran' && outcome.block.manipulation_score === null;

function diffuseOf(outcome: Outcomes['techniques']): Facts['diffuse'] {
  const diffuseEvidence = outcome.state === 'ran' ? outcome.block.diffuse_evidence : null;
  const quote = diffuseEvidence?.quotes[0]?.quote;
  if (diffuseEvidence === null || quote === undefined || diffuseEvidence.weight < TELLING_WEIGHT) return null;
  return { share: diffuseEvidence.sentences, quote };
}

/** The passage of a technique that counts most. */
function strongestPassage(item: TechniqueItem): TechniqueItem['spans'][number] | undefined {
  return item.spans.toSorted((a, b) => passageWeight(b, item) - passageWeight(a, item))[0];
}

const wasLookedUp = (claim: ClaimItem) => claim.evidence.length > 0 || claim.previous_fact_checks.length > 0;

function claimsOf(outcome: Outcomes['claims']): Facts['claims'] {
  if (outcome.state !== 'ran') return null;
  const { block } = outcome;
  const partly = block.claims_verified.filter((claim) => claim.status === 'partly_true').length;
  const refuted = block.claims_verified.find((claim) => claim.status === 'verified_false');
  return {
    total: block.total_claims,
    verifiedTrue: block.verified_true,
    verifiedFalse: block.verified_false,
    partly,
    undecided: Math.max(0, block.unverified - partly),
    opinions: block.opinions,
    refuted: refuted?.span.quote ?? null,
    lookups: lookupsOf(block),
  };
}

function lookupsOf(block: ClaimsResult): Record<Lookup, number> {
  const counts = { evidence: 0, nothing: 0, never: 0 };
  const open = block.claims_verified.filter(({ status }) => !isDecidedStatus(status) && status !== 'opinion');
  for (const claim of open) counts[lookupOf(claim, block)]++;
  return counts;
}

function sourceOf(outcome: Outcomes['domain']): Facts['source'] {
  if (outcome.state !== 'ran' || outcome.block.domain === null) return null;
  const { domain, trust_score: trust, lists } = outcome.block;
  return { domain, trust, lists: [...new Set(lists.filter((row) => row.harmful).map((row) => row.list))] };
}

const strongOf = (items: readonly IndicatorItem[]): LocalizedText | null => {
  const strong = items.find(({ strength }) => strength === 'conclusive' || strength === 'strong');
  return strong === undefined ? null : { en: strong.explanation_en, ro: strong.explanation_ro };
};

/** The most informative of the leading pictures: what people decided, then traces, then what a file declares. */
function picturesOf(outcome: Outcomes['ai_tampered']): Facts['pictures'] {
  if (outcome.state !== 'ran') return null;
  const findings = (outcome.block.leading_pictures ?? []).flatMap(({ finding }) => finding ?? []);
  if (findings.some(({ image_analysis: image }) => (image?.seen_before?.fact_checks ?? []).length > 0))
    return { kind: 'decided', sign: null };
  const tampered = findings.find(({ verdict }) => TRACED.has(verdict));
  if (tampered !== undefined) return { kind: 'traces', sign: strongOf(tampered.indicators_detected) };
  return findings.some(({ disclosure_detected: isDeclared }) => isDeclared)
    ? { kind: 'declared', sign: null }
    : null;
}

function aiOf(outcome: Outcomes['ai_tampered']): Facts['ai'] {
  if (outcome.state !== 'ran') return null;
  const {
    verdict,
    ai_probability: probability,
    indicators_detected: items,
    content_type: type,
  } = outcome.block;
  return {
    verdict,
    probability,
    isPicture: type === 'image',
    sign: strongOf(items),
  };
}

function isRuleLine(line: unknown): line is RuleLine {
  return (
    typeof line === 'object' && line !== null && 'points' in line && 'text_en' in line && 'spans' in line
  );
}

function labelOf({ rules, judgement }: ExplanationSubject): LocalizedText | null {
  const { context_summary: summary, override_type: type } = judgement;
  const { code, reason_en: en, reason_ro: ro } = overrideRule(rules, 'explicit_satire');
  if (isActive(code, summary.overrides)) return type === code ? null : { en, ro };
  const isSure = (genre: GenreFinding) =>
    genre.confidence >= rules.thresholds.explicit_satire.genre_confidence;
  const { genre } = summary;
  return isUnvouchedSatire(genre) && isSure(genre) ? CALLS_ITSELF_SATIRE : null;
}

/** What anybody can write over a text is said, and changes nothing. */
const CALLS_ITSELF_SATIRE: LocalizedText = {
  en: 'The text calls itself satire; nobody vouches for that.',
  ro: 'Textul se declară satiră; nimeni nu garantează acest lucru.',
};

function isUnvouchedSatire(genre: unknown): genre is GenreFinding {
  return (
    typeof genre === 'object' &&
    genre !== null &&
    'code' in genre &&
    genre.code === 'satire' &&
    'stated' in genre &&
    genre.stated === true &&
    'confidence' in genre &&
    typeof genre.confidence === 'number'
  );
}

/** The context rules that weigh most, with a passage where there is one. */
function contextLines(
  { context_summary: { rules: lines }, override_type: said }: ExplanationSubject['judgement'],
  claims: Outcomes['claims'],
): QuotedFinding[] {
  if (!Array.isArray(lines)) return [];
  // Without any claim of fact, a missing source is no finding.
  const stated = claims.state !== 'ran' || claims.block.total_claims > claims.block.opinions;
  return (
    lines
      .filter(isRuleLine)
      .filter((line) => stated || line.rule !== 'missing_attribution')
      // What set the number has a sentence of its own.
      .filter((line) => line.rule !== said)
      .filter((line) => line.points >= TELLING_POINTS)
      .sort((a, b) => b.points - a.points)
      .slice(0, STRONGEST_KEPT)
      .map((line) => ({
        name: { en: line.text_en, ro: line.text_ro },
        quote: longest(line.spans.map((span) => span.quote)),
      }))
  );
}

/** The longest passage, as the most informative one. */
function longest(quotes: readonly string[]): string | null {
  return quotes.reduce<string | null>(
    (best, quote) => (quote.length > (best?.length ?? 0) ? quote : best),
    null,
  );
}

/** Whether the record itself shows that something is false; findings about wording do not count. */
export function showsFalsity({ judgement, outcomes }: ExplanationSubject): boolean {
  const claims = outcomes.claims;
  if (claims.state === 'ran' && claims.block.verified_false > 0) return true;
  return isActive('known_false_match', judgement.context_summary.overrides);
}

/** Whether the record names the override among those whose condition held. */
function isActive(code: OverrideCode, overrides: unknown): boolean {
  return (
    Array.isArray(overrides) &&
    overrides.some(
      (row: unknown) => typeof row === 'object' && row !== null && 'code' in row && row.code === code,
    )
  );
}
