import english from '../../../../../data/scam/en.json' with { type: 'json' };
import kindData from '../../../../../data/scam/kinds.json' with { type: 'json' };
import romanian from '../../../../../data/scam/ro.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import type { PlainText } from '../../../../text/plain/plain-text.ts';
import type { Span, TextRange } from '../../../../text/positions.ts';
import { ruleLanguagesOf } from '../../../../text/rule-languages.ts';
import { sentencesOf } from '../../../../text/sentences.ts';
import type { TextEncoding } from '../encoding/text-encoding.ts';
import type { Candidate } from '../techniques/candidates.ts';
import { quotedTokens } from '../techniques/features.ts';
import { applyRules, loadRuleBooks, parseRuleBook, reportedSentences } from '../techniques/rules.ts';
import { sentenceRanges, type Token, tokenise } from '../techniques/tokens.ts';
import {
  type LureScores,
  lureProbability,
  lureScores,
  lureWordScore,
  meanLayer,
  meanVector,
} from './lure-model.ts';

/** A lure for money or data, or a miracle cure, with the passages that show it. */
export interface ScamFinding {
  readonly code: string;
  readonly name_en: string;
  readonly name_ro: string;
  /** What not to do, and whom to ask. */
  readonly advice_en: string;
  readonly advice_ro: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** In reading order. */
  readonly spans: Span[];
}

type Kind = (typeof kindData.kinds)[number];

const books = { en: bookOf(english), ro: bookOf(romanian) };
const voices = loadRuleBooks();
const PLACES = 3;
const MOST_SPANS = 12;
/** The meaning of a longer text is that of many sentences, which no lure needs. */
const MOST_MESSAGE_TOKENS = 300;
/** A lure is named by its meaning from this probability on: where it is an override. */
const LEAST_BY_MEANING = 0.8;

function bookOf({
  lists,
  rules,
}: Pick<Parameters<typeof parseRuleBook>[0], 'lists'> & { rules: readonly Sign[] }) {
  return parseRuleBook({
    lists,
    reporting: [],
    studying: [],
    rules: rules.map((rule) => ({ ...rule, confidence: 1 })),
  });
}

type Sign = Omit<Parameters<typeof parseRuleBook>[0]['rules'][number], 'confidence'>;

/**
 * The surest lure in a text, or null. What is quoted in a report is the speaker's and no lure of the text. Where the signs of no
 * kind are all there, the meaning and the words of a message of ordinary length decide together with those that are.
 */
export function findScam(
  plain: Pick<PlainText, 'text' | 'span'>,
  language: string,
  encoding?: TextEncoding,
): ScamFinding | null {
  const tokens = tokenise(plain.text);
  const signs = signsOf(plain.text, tokens, language);
  const groups = new Set(signs.map(({ code }) => code));
  const best = bestBySigns(signs);
  const message = { text: plain.text, length: tokens.length, language, encoding };
  const semantic = lureByScores(message, groups);
  // A kind without signs of its own shares those of others: only its meaning distinguishes it.
  const lure = best.confidence > 0 && semantic?.kind.needs.length !== 0 ? best : semantic;
  if (lure === null) return null;
  const { needs, helps, base: _, ...named } = lure.kind;
  const telling = lure === best ? new Set<string>([...needs.flat(), ...helps]) : groups;
  const shown = (lure === best ? best.signs : signs)
    .filter((sign) => telling.has(sign.code))
    .map(({ from, to }) => ({ start: tokens[from]?.start ?? 0, end: tokens[to - 1]?.end ?? 0 }))
    .map((range) => withWholeNumbers(plain.text, range));
  const length = shown.reduce((sum, { start, end }) => sum + end - start, 0);
  const isTelling = lure === best || length >= LEAST_SHOWN;
  const spans = (isTelling ? shown : tellingSentences(plain.text))
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ end }, index, all) => (all[index - 1]?.end ?? 0) < end)
    .slice(0, MOST_SPANS)
    .map(({ start, end }) => plain.span(start, end));
  return { ...named, confidence: roundTo(lure.confidence, PLACES), spans };
}

/** Characters of the longest sum that is completed. */
const LONGEST_SUM = 24;

/** A passage whose first and last numbers are whole: tokens end at the marks within "8,5" and "£1,450". */
function withWholeNumbers(text: string, { start, end }: TextRange): TextRange {
  const before = /\p{Sc}?\d[\d.,]*$/u.exec(text.slice(Math.max(0, start - LONGEST_SUM), start))?.[0] ?? '';
  const behind = /^[.,]\d[\d.,]*(?<=\d)/.exec(text.slice(end, end + LONGEST_SUM))?.[0] ?? '';
  const [opens, ends] = [/\d/.test(text.charAt(start)), /\d/.test(text.charAt(end - 1))];
  return { start: opens ? start - before.length : start, end: ends ? end + behind.length : end };
}

/** The surest kind by signs that stand within the length of one message: those of a long page, far apart, prove nothing together. */
function bestBySigns(signs: ReturnType<typeof signsOf>) {
  const half = MOST_MESSAGE_TOKENS / 2;
  const stretches = new Map<number, (typeof signs)[number][]>();
  for (const sign of signs) {
    const place = Math.floor(sign.from / half);
    // Stretches overlap by half, so that neighbours are never parted.
    for (const at of [place - 1, place]) {
      const stretch = stretches.get(at);
      if (stretch === undefined) stretches.set(at, [sign]);
      else stretch.push(sign);
    }
  }
  const none = { kind: kindData.kinds[0] as Kind, confidence: 0, signs: [] as typeof signs };
  return [...stretches.values()]
    .flatMap((stretch) => {
      const groups = new Set(stretch.map(({ code }) => code));
      return kindData.kinds.map((kind) => ({ kind, confidence: confidenceOf(kind, groups), signs: stretch }));
    })
    .reduce((one, two) => (two.confidence > one.confidence ? two : one), none);
}

/** Of a lure that was recognised by its meaning, signs with fewer characters in all ("Congratulations") do not show what it is. */
const LEAST_SHOWN = 40;
/** Sentences shown of such a lure. */
const MOST_SENTENCES = 3;

/** Where no sign tells enough: the sentences whose words speak most for a lure, in reading order. */
function tellingSentences(text: string): { readonly start: number; readonly end: number }[] {
  return sentencesOf(text)
    .map((sentence) => ({ ...sentence, words: lureWordScore(sentence.text) }))
    .sort((one, two) => two.words - one.words)
    .slice(0, MOST_SENTENCES);
}

interface Message {
  readonly text: string;
  /** Tokens of it. */
  readonly length: number;
  readonly language: string;
  readonly encoding: TextEncoding | undefined;
}

/** A lure by its meaning, words, its reading as a whole and signs together, or null. */
function lureByScores(
  { text, length, language, encoding }: Message,
  groups: ReadonlySet<string>,
): { readonly kind: Kind; readonly confidence: number } | null {
  const isRead = ['en', 'ro'].includes(language.slice(0, 2).toLowerCase());
  if (encoding === undefined || !isRead || length > MOST_MESSAGE_TOKENS) return null;
  const mean = meanVector(encoding);
  if (mean === undefined) return null;
  const scores = lureScores({ mean, text });
  const confidence = lureProbability({ ...scores, layer: meanLayer(encoding) }, groups);
  return confidence < LEAST_BY_MEANING ? null : { kind: likeliestKind(scores, groups), confidence };
}

/** What a need that is there adds to the log-odds of its kind; chosen on lures of authors that the weights had not seen. */
const NEED_MET = 0.5;

/** The kind of a lure by its meaning, and by those of its needs that are there. */
export function likeliestKind({ kinds }: LureScores, groups: ReadonlySet<string>): Kind {
  const scored = kindData.kinds.map((kind) => {
    const needs: readonly (readonly string[])[] = kind.needs;
    const met = needs.filter((need) => need.some((sign) => groups.has(sign))).length;
    return { kind, score: (kinds.get(kind.code) ?? Number.NEGATIVE_INFINITY) + NEED_MET * met };
  });
  return scored.reduce((one, two) => (two.score > one.score ? two : one)).kind;
}

/** The signs of a lure that stand in a text, in its own voice. */
export function scamSigns(text: string, language: string): Set<string> {
  return new Set(signsOf(text, tokenise(text), language).map(({ code }) => code));
}

/** Signs of a lure in the text's own voice. */
function signsOf(text: string, tokens: readonly Token[], language: string): Candidate[] {
  const sentences = sentenceRanges(text, tokens);
  const quoted = quotedTokens(tokens, sentences);
  const read = ruleLanguagesOf(
    tokens.map((token) => token.form),
    language.slice(0, 2).toLowerCase(),
  );
  return read.flatMap((name) => {
    const reported = reportedSentences(voices[name], tokens, sentences);
    return applyRules(books[name], tokens, sentences).filter(
      ({ anchor, sentence }) => quoted[anchor] !== 1 || !nearReport(reported, sentence),
    );
  });
}

function nearReport(reported: readonly boolean[], sentence: number): boolean {
  return [sentence - 1, sentence, sentence + 1].some((index) => reported[index] === true);
}

/** 0 unless the kind needs groups of signs and each has a sign of its own. */
function confidenceOf({ needs, helps, base }: Kind, groups: ReadonlySet<string>): number {
  if (needs.length === 0) return 0;
  const used = new Set<string>();
  for (const group of needs) {
    const sign = group.find((name) => groups.has(name) && !used.has(name));
    if (sign === undefined) return 0;
    used.add(sign);
  }
  const more = helps.filter((name) => groups.has(name) && !used.has(name)).length;
  return Math.min(kindData.most, base + more * kindData.step);
}
