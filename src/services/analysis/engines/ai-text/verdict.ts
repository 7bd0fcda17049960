import type { AiTamperedResult, IndicatorItem } from '../../resources/ai-tampered-result.ts';
import { SHIPPED_TUNING, type Tuning } from '../../resources/tuning.ts';
import { generationWeight } from './indicators.ts';

/** What was found in a text before it is weighed. */
export interface TextFindings {
  items: readonly IndicatorItem[];
  /** Probability of the trained detector, 0 to 1; null when the text lies outside its scope. */
  detector: number | null;
  /** The text says that a machine wrote it (true), that one helped (false), or nothing (null). */
  disclosedAsMachine: boolean | null;
}

/** The weighed part of the answer. */
export type TextJudgement = Pick<
  AiTamperedResult,
  'ai_probability' | 'verdict' | 'risk_score' | 'evidence_grade'
>;

/** A statement of machine writing can be a joke or a trick, so it stops short of certainty. */
const DISCLOSED = { machine: 0.95, helped: 0.4 } as const;
/** Who discloses does not deceive: the share of the probability that remains as risk. */
const RISK_LEFT = { machine: 0.25, helped: 0.5, none: 1 } as const;

/** Spelling is no evidence of who wrote a word. */
const DISGUISE = 'text_disguise';
/** Nothing that is read off a text is certain: traces can be planted. */
const MOST_CERTAIN = 0.99;

/** Probability, grade, verdict and risk of a text by the rules of the taxonomy; null where nothing applied. */
export function judgeText(findings: TextFindings): TextJudgement {
  const probability = combined(findings);
  const grade = gradeOf(findings);
  return {
    ai_probability: probability === null ? null : percent(Math.min(MOST_CERTAIN, probability)),
    verdict: verdictOf(findings, probability, grade),
    risk_score:
      probability === null ? null : percent(probability * remainingRisk(findings.disclosedAsMachine)),
    evidence_grade: grade,
  };
}

/** 1 - product of (1 - p) over the detector, the traces and the disclosure; null when none of them spoke. */
function combined({ items, detector, disclosedAsMachine }: TextFindings): number | null {
  const shares = items.filter((item) => item.code !== 'classifier_probability').map(generationWeight);
  const traces = shares.filter((share) => share > 0);
  if (disclosedAsMachine !== null) traces.push(disclosedAsMachine ? DISCLOSED.machine : DISCLOSED.helped);
  if (detector !== null) traces.push(detector);
  return traces.length === 0 ? null : 1 - traces.reduce((rest, share) => rest * (1 - share), 1);
}

/** B: a conclusive or strong trace of generation, or an outright disclosure; C: less; D: nothing applied. */
function gradeOf({ items, detector }: TextFindings): TextJudgement['evidence_grade'] {
  const traces = items.filter(
    (item) => item.strength === 'conclusive' || (item.strength === 'strong' && generationWeight(item) > 0),
  );
  if (traces.length > 0) return 'B';
  const applied = items.some(({ category }) => category !== DISGUISE);
  return detector !== null || applied ? 'C' : 'D';
}

function verdictOf(
  findings: TextFindings,
  probability: number | null,
  grade: TextJudgement['evidence_grade'],
): string {
  if (findings.disclosedAsMachine) return 'disclosed_ai';
  // The detector is a moderate one: being low, it shows nothing, so "nothing found" is never claimed for a text.
  if (probability === null || (grade !== 'A' && grade !== 'B')) return 'inconclusive';
  return bandOf(probability, SHIPPED_TUNING.aiVerdictFrom);
}

/** The verdicts that a probability decides. */
const BANDED: ReadonlySet<string> = new Set(['strong_evidence', 'likely_ai_or_tampered', 'inconclusive']);

function bandOf(probability: number, from: Tuning['aiVerdictFrom']): string {
  if (probability >= from.strong) return 'strong_evidence';
  return probability >= from.likely ? 'likely_ai_or_tampered' : 'inconclusive';
}

/** The verdict of a block where other probabilities count: only a verdict that a probability decides can change. */
export function verdictFrom(
  block: Pick<AiTamperedResult, 'verdict' | 'ai_probability' | 'evidence_grade'>,
  from: Tuning['aiVerdictFrom'],
): string {
  const { verdict, ai_probability: percentage, evidence_grade: grade } = block;
  if (!BANDED.has(verdict) || percentage === null || (grade !== 'A' && grade !== 'B')) return verdict;
  return bandOf(percentage / 100, from);
}

/** The share of the probability that remains as risk: true a machine made it and the content says so, false it helped, null nothing is said. */
export function remainingRisk(disclosedAsMachine: boolean | null): number {
  if (disclosedAsMachine === null) return RISK_LEFT.none;
  return disclosedAsMachine ? RISK_LEFT.machine : RISK_LEFT.helped;
}

function percent(share: number): number {
  return Math.round(share * 10_000) / 100;
}
