import data from '../../../../../data/wording/claim-types.json' with { type: 'json' };
import { fold } from '../../../../text/folding.ts';
import { wordingOf } from '../../wording.ts';
import { isCall } from './calls.ts';
import type { ClaimText, CueName } from './cues.ts';

/** Claim types that rules can tell; `satire` needs the genre of the whole item and is never given to one sentence. */
export type ClaimType =
  | 'statistical'
  | 'event'
  | 'quotation'
  | 'causal'
  | 'comparison'
  | 'scientific_health'
  | 'legal_policy'
  | 'identity_role'
  | 'media_provenance'
  | 'historical'
  | 'existence_absence'
  | 'conspiracy'
  | 'prediction'
  | 'opinion'
  | 'personal_experience'
  | 'question_or_call';

type Cues = ReadonlyMap<CueName, number>;
type Rule = { type: ClaimType; test: (plain: string, cues: Cues, original: string) => boolean };

/** What each pattern is for stands in its file. */
const wording = wordingOf(data);
const ASSERTING_QUESTION = wording('asserting_question');
const PERSONAL = wording('personal');
const MEDIA = wording('media');
const MEDIA_VERB = wording('media_verb');
const SAYING = wording('saying');
const HIDDEN_PLAN = wording('hidden_plan');
const PAST_FINDING = wording('past_finding');
const FORECAST = wording('forecast');
const NO_FUTURE = wording('no_future', 'g');
const FUTURE = wording('future');
const SCIENCE = wording('science');
const LAW = wording('law');
const RANKING = wording('ranking');
const ABSENCE = wording('absence');
const CAUSE = wording('cause');
const ROLE = wording('role');
const QUANTITY = wording('quantity');
const DATE_TO_COME = wording('date_to_come', 'g');
const PAST_YEAR = wording('past_year');
const PAST_VERB = wording('past_verb');
const FUTURE_VERB = wording('future_verb');
const SUBORDINATE = wording('subordinate');
const TIME_TO_COME = wording('time_to_come', 'g');
const ABOUT_TO = wording('about_to');
const NEW_CLAUSE = wording('new_clause');

/** A past year from which records count as settled: more than fifteen years before the taxonomy was written (2026). */
const settledYear = /\b(?:1[0-9]\d\d|200\d|2010)\b/;

/** Rules in order: the first that fits names the type, so the narrow ones stand before the broad ones. */
const rules: readonly Rule[] = [
  {
    type: 'question_or_call',
    test: (plain, cues) => (cues.has('question') && !ASSERTING_QUESTION.test(plain)) || isCall(plain),
  },
  { type: 'media_provenance', test: (plain) => MEDIA.test(plain) && MEDIA_VERB.test(plain) },
  { type: 'conspiracy', test: (plain) => HIDDEN_PLAN.test(plain) },
  {
    type: 'quotation',
    test: (plain, cues) => SAYING.test(plain) && !QUANTITY.test(plain) && !cues.has('firstPerson'),
  },
  { type: 'personal_experience', test: (plain, cues) => PERSONAL.test(plain) && !cues.has('percent') },
  { type: 'opinion', test: (_plain, cues) => isOpinion(cues) },
  { type: 'prediction', test: (plain, _cues, original) => isPrediction(withoutPronoun(plain, original)) },
  { type: 'statistical', test: (plain, cues) => isStatistic(plain, cues) },
  { type: 'scientific_health', test: (plain) => SCIENCE.test(plain) },
  { type: 'historical', test: (plain, cues) => settledYear.test(plain) && (cues.get('numbers') ?? 0) < 0.5 },
  { type: 'comparison', test: (plain) => RANKING.test(plain) },
  { type: 'existence_absence', test: (plain) => ABSENCE.test(plain) },
  { type: 'legal_policy', test: (plain) => LAW.test(plain) },
  { type: 'causal', test: (plain) => CAUSE.test(plain) },
  { type: 'identity_role', test: (plain) => ROLE.test(plain) },
];

/** The type of a sentence, by rules over English and Romanian wording; `event` when no other rule fits. */
export function typeOf(text: ClaimText): ClaimType {
  return rules.find((rule) => rule.test(text.plain, text.cues, text.original))?.type ?? 'event';
}

/** "vă" ("you"), which folding makes "va" ("will"). */
const PRONOUN = /(?<!\p{L})vă(?!\p{L})/giu;

function withoutPronoun(plain: string, original: string): string {
  const without = original.replace(PRONOUN, ' ');
  return without === original ? plain : fold(without, 'strip').text;
}

/** Whether the main verb is one of the past, and what is to come only stands in what depends on it. */
function isPastAct(plain: string): boolean {
  const past = PAST_VERB.exec(plain);
  if (past === null || FORECAST.test(plain) || SUBORDINATE.test(plain.slice(0, past.index))) return false;
  const behind = plain.slice(past.index + past[0].length);
  const future = FUTURE_VERB.exec(behind);
  return future === null
    ? !ABOUT_TO.test(behind.replace(TIME_TO_COME, ' '))
    : isDependent(behind.slice(0, future.index));
}

/** Whether the words between a verb of the past and one of the future make the second depend on the first. */
const isDependent = (between: string) => SUBORDINATE.test(between) && !NEW_CLAUSE.test(between);

function isPrediction(plain: string): boolean {
  if (PAST_FINDING.test(plain) && !FORECAST.test(plain)) return false;
  if (isPastAct(plain)) return false;
  const remaining = plain.replace(NO_FUTURE, ' ');
  return FUTURE.test(PAST_YEAR.test(remaining) ? remaining.replace(DATE_TO_COME, ' ') : remaining);
}

/** Judging or believing words, and nothing beside them that could be looked up. */
function isOpinion(cues: Cues): boolean {
  const judged = cues.has('judgement') || cues.has('belief') || cues.has('obligation');
  const checkable = ['numbers', 'percent', 'date', 'comparison', 'attribution', 'evidence', 'cause'] as const;
  return (
    judged &&
    !cues.has('pleasantry') &&
    !checkable.some((cue) => cues.has(cue)) &&
    (cues.get('names') ?? 0) < 1
  );
}

function isStatistic(plain: string, cues: Cues): boolean {
  if (QUANTITY.test(plain)) return true;
  const counted = cues.has('numbers') || cues.has('share');
  const measured =
    cues.has('percent') ||
    cues.has('money') ||
    cues.has('magnitude') ||
    cues.has('change') ||
    cues.has('rate');
  return counted && measured && !/^\D*(?:1[0-9]\d\d|20\d\d)\D*$/.test(plain);
}
