import data from '../../../../../data/wording/attribution.json' with { type: 'json' };
import { fold } from '../../../../text/folding.ts';
import type { TextRange } from '../../../../text/positions.ts';
import type { Sentence } from '../../../../text/sentences.ts';
import type { Voice } from '../../resources/claims-result.ts';
import { isDeniedBy, isOwnDenial } from '../../resources/own-denial.ts';
import { wordingOf } from '../../wording.ts';
import type { KnownMatch } from './known-claims.ts';

const wording = wordingOf(data);
const REPORTED_SPEECH = wording('reported_speech');
const WRITERS_OWN_VOICE = wording('writers_own_voice');
const ENDORSING_VERBS = wording('endorsing_verbs');
const ASSERTION_OPENINGS = wording('assertion_openings');
const RETRACTION = wording('retraction');
const ATTRIBUTING_LABEL = wording('attributing_label');
const SUPPOSITION = wording('supposition');
const CONDITIONAL = wording('conditional');
const INTERROGATIVE = wording('interrogative');
const ASSERTING_QUESTION = wording('asserting_question');
const ASKED_FOR_TRUTH = wording('asked_for_truth');
const ANSWER = wording('answer');
const DENIAL = wording('denial');
const EXERCISE_INTRODUCTION = wording('exercise_introduction');
const FALSEHOOD_INTRODUCTION = wording('falsehood_introduction');
const ATTRIBUTED_BEHIND = wording('attributed_behind');
const VOUCHED_BEHIND = wording('vouched_behind');

/** The text of a claim with its sentences. */
export interface TextWithSentences {
  readonly text: string;
  readonly sentences: readonly Sentence[];
}

/** Sentences before a claim that may introduce it, and sentences after it that may retract it. */
const AROUND = { before: 5, exercise: 3, behind: 2, answers: 3 } as const;

const plain = (text: string) => fold(text, 'strip').text.replaceAll('’', "'").trim();

const OPENING = '"“„«‘';
const ENCLOSED_END = /["”“»’][.,;!?]*$/;
const CLOSING = /^[.,;!?]*["”“»’]/;

/** Whether the claim stands in quotation marks, as the words of another; a text that is one quotation is its writer's. */
function isQuoted(text: string, sentence: TextRange, { start, end }: TextRange): boolean {
  const before = text.slice(sentence.start, start).trimEnd();
  const claim = text.slice(start, end).trim();
  if (text.trim().length <= claim.length + 2) return false;
  const opens = OPENING.includes(claim.at(0) ?? ' ');
  if (opens && CLOSING.test(text.slice(end))) return !isVouchedFor(text.slice(end, sentence.end));
  const isEnclosed = opens && ENCLOSED_END.test(claim);
  return OPENING.includes(before.at(-1) ?? ' ') || isEnclosed || isInsideLongQuote(text, sentence);
}

/** Whether the writer calls what stands in quotation marks before these words true. */
const isVouchedFor = (behind: string) => VOUCHED_BEHIND.test(plain(behind.replace(CLOSING, '')));

/** Whether a quotation of several sentences is open where the sentence begins: marks of different shape show it. */
function isInsideLongQuote(text: string, { start }: TextRange): boolean {
  const paragraph = text.lastIndexOf('\n', start) + 1;
  const before = text.slice(paragraph, start);
  const opened = Math.max(before.lastIndexOf('„'), before.lastIndexOf('«'));
  const closed = Math.max(before.lastIndexOf('”'), before.lastIndexOf('»'));
  const english = before.lastIndexOf('“');
  return opened > closed || (before.lastIndexOf('„') < 0 && english > closed);
}

/** A speaker's name at the beginning of a line: "MR HALL:", "Ana:". */
const SPEAKER = /^\s*(\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*){0,3})\s*[:–—]\s/u;

/** Whether the line is one of several speakers' in a text that is written as a conversation. */
function isSpokenLine(text: string, start: number): boolean {
  const from = text.lastIndexOf('\n', start) + 1;
  if (!SPEAKER.test(text.slice(from, from + 80))) return false;
  const speakers = text.split('\n').flatMap((line) => SPEAKER.exec(line)?.[1] ?? []);
  return new Set(speakers).size > 1;
}

/** Whether the beginning of the sentence makes the claim an assertion of the writer. */
export function isAssertion(before: string): boolean {
  const words = plain(before);
  if (ATTRIBUTING_LABEL.test(words)) return false;
  if (ENDORSING_VERBS.test(words)) return true;
  const isOthers = REPORTED_SPEECH.test(words.replace(WRITERS_OWN_VOICE, ' '));
  return !isOthers && ASSERTION_OPENINGS.test(words);
}

/** Whether the rest of the sentence neither reports nor retracts the claim. */
export function isUnretracted(behind: string): boolean {
  const words = plain(behind);
  return !REPORTED_SPEECH.test(words.replace(WRITERS_OWN_VOICE, ' ')) && !RETRACTION.test(words);
}

/** Whether a question is meant as one: by its form, or because an answer follows. */
function isGenuineQuestion(sentence: Sentence, behind: readonly Sentence[]): boolean {
  if (!/\?["'”»)!\s]*$/.test(sentence.text)) return false;
  const words = plain(sentence.text);
  if (ASSERTING_QUESTION.test(words)) return false;
  if (INTERROGATIVE.test(words) || ASKED_FOR_TRUTH.test(words)) return true;
  return behind.slice(0, AROUND.answers).some(({ text }) => ANSWER.test(plain(text)));
}

function isHypothetical(claim: string): boolean {
  const words = plain(claim);
  return SUPPOSITION.test(words) && !CONDITIONAL.test(words);
}

function isDenied(before: readonly Sentence[], behind: readonly Sentence[]): boolean {
  const earlier = before.slice(-AROUND.before).map(({ text }) => plain(text));
  if (earlier.slice(-AROUND.exercise).some((text) => EXERCISE_INTRODUCTION.test(text))) return true;
  if (earlier.some((text) => FALSEHOOD_INTRODUCTION.test(text))) return true;
  return behind
    .slice(0, AROUND.behind)
    .map(({ text }) => plain(text))
    .some((text) => !text.endsWith('?') && DENIAL.test(text));
}

/** Whether the words of the claim itself attribute it to others. */
function isReported(claim: string, known: KnownMatch | undefined): boolean {
  // A verbatim known claim may itself be about what another person said.
  if (known === 'verbatim') return false;
  return REPORTED_SPEECH.test(plain(claim).replace(WRITERS_OWN_VOICE, ' '));
}

/** Whether the writer asserts a claim, or quotes, reports, asks or denies it; decided by the words around it. */
export function attributionOf(
  { text, sentences }: TextWithSentences,
  place: TextRange,
  known?: KnownMatch,
): Voice {
  const at = sentences.findIndex(({ end }) => end > place.start);
  const sentence = sentences[at];
  if (sentence === undefined) return 'author';
  const claim = text.slice(place.start, place.end);
  const before = text.slice(sentence.start, place.start);
  const [earlier, later] = [
    sentences.slice(Math.max(0, at - AROUND.before), at),
    sentences.slice(at + 1, at + 4),
  ];
  if (isQuoted(text, sentence, place) || isSpokenLine(text, sentence.start)) return 'quoted';
  if (ATTRIBUTING_LABEL.test(plain(sentence.text)) || EXERCISE_INTRODUCTION.test(plain(before)))
    return 'denied';
  if (isHypothetical(claim) || isGenuineQuestion(sentence, later)) return 'asked';
  if (isReported(claim, known)) return 'reported';
  if (isOwnDenial(claim) || isDeniedBy(before, sentence.text)) return 'denied';
  if (ATTRIBUTED_BEHIND.test(plain(later[0]?.text ?? ''))) return 'reported';
  const behind = text.slice(place.end, sentence.end);
  if (!isAssertion(before) || !isUnretracted(behind)) return 'reported';
  return isDenied(earlier, later) ? 'denied' : 'author';
}
