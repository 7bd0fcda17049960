import type { ComponentName } from '../../resources/component-name.ts';
import type { Facts } from './facts.ts';

/** One fact where there is something to state. */
export type FactOf<Key extends keyof Facts> = NonNullable<Facts[Key]>;

/** The sentences of one language, one for each fact; null when the fact needs none. */
export interface Phrasing {
  language: 'en' | 'ro';
  verdict(facts: Pick<Facts, 'score' | 'category' | 'inconclusive' | 'confidence'>): string;
  override(fact: FactOf<'override'>): string;
  techniques(fact: FactOf<'techniques'>): string;
  /** Why nothing is said of the wording. */
  wordingUnread: string;
  /** Beside the techniques, or in the one sentence with them where no passage shows one. */
  diffuse(fact: FactOf<'diffuse'>, techniques: Facts['techniques']): string;
  claims(fact: FactOf<'claims'>): string | null;
  source(fact: FactOf<'source'>): string;
  ai(fact: FactOf<'ai'>): string | null;
  pictures(fact: FactOf<'pictures'>): string;
  label(fact: FactOf<'label'>): string;
  context(fact: FactOf<'context'>): string | null;
  scam(fact: FactOf<'scam'>): string;
  lost(fact: readonly ComponentName[]): string | null;
  nearReview(fact: FactOf<'nearReview'>): string;
  unchecked(fact: FactOf<'unchecked'>): string;
  advice(fact: FactOf<'advice'>): string;
}

const LONGEST_QUOTE = 90;
/** A probability from here on, in percent, is written as "above 99": a rounded 100 would claim certainty. */
export const NEAR_CERTAIN = 99.5;

/** A verbatim piece of the text for a quotation, on one line, without its full stop and cut at a word. */
export function excerpt(quote: string): string {
  // The sentence around it ends in a mark of its own.
  const line = quote
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/(?<!\.)[.,;:]$/u, '');
  const points = [...line];
  if (points.length <= LONGEST_QUOTE) return line;
  const cut = points.slice(0, LONGEST_QUOTE).join('');
  return `${cut.replace(/\s+\S*$/u, '')}…`;
}

/** Joins two or more words: "a, b and c". */
export function joinWithAnd(words: readonly string[], and: string): string {
  if (words.length <= 1) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} ${and} ${words.at(-1) ?? ''}`;
}

/** A sentence without its full stop, beginning with a small letter unless its first word is a name or an acronym. */
export function asClause(sentence: string): string {
  const body = sentence.trim().replace(/\.$/u, '');
  return /^\p{Lu}\p{Lu}/u.test(body) ? body : body.charAt(0).toLowerCase() + body.slice(1);
}

/** The name of a finding before its passage; a gloss in brackets at the end of the name gives way to the passage in brackets. */
export function named(name: string, passage: string): string {
  return asClause(passage === '' ? name : name.replace(/ \([^()]*\)$/u, '')) + passage;
}

/** Clauses as a sentence: with a capital letter. */
export const capitalised = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
