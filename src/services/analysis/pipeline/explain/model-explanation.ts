import { z } from 'zod';
import prompt from '../../../../../data/prompts/explanation.json' with { type: 'json' };
import { type RejectionReason, rejectionReason } from '../../dependencies/text-model/output-check.ts';
import type { Task } from '../../dependencies/text-model/text-model.ts';
import { countedPassages } from '../../resources/technique-weight.ts';
import type { Explanation } from './explain.ts';
import { type ExplanationSubject, type Facts, factsOf, showsFalsity } from './facts.ts';

const answerForm = z.object({ explanation_en: z.string(), explanation_ro: z.string() });
type ModelAnswer = z.output<typeof answerForm>;

/** Quotes that the record shows to the model, of each kind: what an explanation can use. */
const MOST_SHOWN = 6;
/** Longest quote in the record, in UTF-16 units; an explanation quotes a few words of it. */
const LONGEST_QUOTE = 240;

/**
 * Why an explanation by a model may not be stored: the general checks, a missing risk score, or a claim called true that
 * was not confirmed. The checks also stop instructions that were hidden in the analysed text.
 */
export type ModelObjection = RejectionReason | 'score_missing' | 'unfounded_truth';

/** "Is true" and the like, unless the sentence denies or doubts it before. */
const truth = {
  en: /(?<!\b(?:no|none|nor|neither|nothing|not|cannot|whether|if)\b[^.!?]*)\b(?:is|are|was|were)\s+(?:(?:completely|entirely|fully|clearly)\s+)?(?:true|accurate|factual|verified|confirmed|trustworthy|credible|reliable|safe)\b/iu,
  ro: /(?<!(?<!\p{L})(?:nu|nici|nicio|niciun|niciuna|nimic|dacă)(?!\p{L})[^.!?]*)(?<!\p{L})(?:este|sunt|era|erau)\s+(?:(?:complet|întru totul)\s+)?(?:adevărat[ăe]?|adevărați|corect[ăe]?|verificat[ăe]?|confirmat[ăe]?|credibil[ăe]?|sigur[ăe]?|de încredere)(?!\p{L})/iu,
};

function cut(quote: string): string {
  return quote.length <= LONGEST_QUOTE ? quote : quote.slice(0, LONGEST_QUOTE).toWellFormed();
}

/** The record as the model sees it: what our own explanation may speak of, with more of the passages. */
function recordOf(subject: ExplanationSubject, facts: Facts) {
  const { techniques, claims } = subject.outcomes;
  const { score, ...rest } = facts;
  return {
    risk_score: score,
    ...rest,
    technique_findings:
      techniques.state !== 'ran'
        ? []
        : techniques.block.techniques_detected
            .map((item) => ({ item, passages: countedPassages(item) }))
            .filter(({ passages }) => passages.length > 0)
            .slice(0, MOST_SHOWN)
            .map(({ item, passages }) => ({
              name: { en: item.name_en, ro: item.name_ro },
              passages: passages.length,
              quote: cut(passages[0]?.quote ?? ''),
            })),
    claim_findings:
      claims.state !== 'ran'
        ? []
        : claims.block.claims_verified
            .slice(0, MOST_SHOWN)
            .map(({ status, span }) => ({ status, quote: cut(span.quote) })),
  };
}

/** What a model is asked about a judged session. */
export function explanationTask(subject: ExplanationSubject, timeoutMs: number): Task<ModelAnswer> {
  const record = recordOf(subject, factsOf(subject));
  return {
    stage: 'verdict.explanation',
    prompt,
    fields: {},
    material: () => ({ text: JSON.stringify(record, null, 1), note: '' }),
    schema: answerForm,
    timeoutMs,
  };
}

function numbersOf(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersOf);
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsOf);
}

function showsTruth({ outcomes: { claims } }: ExplanationSubject): boolean {
  return claims.state === 'ran' && claims.block.verified_true > 0;
}

/** Whether a text names the score as stored, with a decimal point or comma. */
function namesScore(text: string, score: number | null): boolean {
  if (score === null) return true;
  const [whole = '', decimal = ''] = score.toFixed(1).split('.');
  const exact = new RegExp(`(?<![\\d.,])${whole}[.,]${decimal}(?!\\d)`, 'u');
  const round = new RegExp(`(?<![\\d.,])${whole}(?![.,]?\\d)`, 'u');
  return exact.test(text) || (decimal === '0' && round.test(text));
}

/** The first objection to either text of a model, or null when both may be stored. */
export function modelTextProblem(
  answer: ModelAnswer,
  subject: ExplanationSubject,
  text: string,
  identify: (text: string) => string,
): ModelObjection | null {
  const record = recordOf(subject, factsOf(subject));
  // Confidence and shares are said in percent.
  const numbers = numbersOf(record).flatMap((number) => [number, number * 100]);
  const ground = {
    identify,
    sources: [text, ...stringsOf(record)],
    numbers,
    falsityShown: showsFalsity(subject),
  };
  for (const language of ['en', 'ro'] as const) {
    const written = answer[`explanation_${language}`];
    const objection = rejectionReason(written, { language, ...ground });
    if (objection !== null) return objection;
    if (!namesScore(written, subject.judgement.risk_score)) return 'score_missing';
    if (!showsTruth(subject) && truth[language].test(written)) return 'unfounded_truth';
  }
  return null;
}

/** Both texts of a model's answer when there is no objection to either, else undefined. */
export function acceptedExplanation(
  answer: ModelAnswer,
  subject: ExplanationSubject,
  text: string,
  identify: (text: string) => string,
): Explanation | undefined {
  if (modelTextProblem(answer, subject, text, identify) !== null) return undefined;
  return { explanation_en: answer.explanation_en.trim(), explanation_ro: answer.explanation_ro.trim() };
}
