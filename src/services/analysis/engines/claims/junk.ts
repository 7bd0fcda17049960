import data from '../../../../../data/wording/page-furniture.json' with { type: 'json' };
import type { Sentence } from '../../../../text/sentences.ts';
import { wordingOf } from '../../wording.ts';
import type { ClaimText } from './cues.ts';

/** A sentence of a text in the forms that rules read. */
export interface ClaimSentence {
  readonly sentence: Sentence;
  readonly text: ClaimText;
}

const wording = wordingOf(data);
const BYLINE = wording('byline');
const DATE_ONLY = wording('date_only');
const COUNTS = wording('counts', 'g');
const TEASER = wording('teaser');
const FURNITURE = wording('furniture');

/** An address, a handle, a hashtag or an e-mail. */
const address =
  /(?:https?:\/\/|www\.)\S+|[\w.+-]+@[\w-]+\.\w+|(?<![\w])[@#][\w.]+|\b[\w-]+\.(?:com|org|net|ro|md|info|eu)\/\S*/gu;

/** Share of a line that addresses may take before it counts as junk. */
const MOST_ADDRESS = 0.5;
/** Words that a line of names may have, and that a menu's entry has at most. */
const BYLINE_WORDS = 14;

/** Whether a line is furniture of a page: bylines, counts, bare addresses, teasers, menus. */
export function isJunk({ original, plain }: ClaimText): boolean {
  if (TEASER.test(plain) || FURNITURE.test(plain)) return true;
  const addresses = (plain.match(address) ?? []).join('').length;
  if (addresses > MOST_ADDRESS * plain.replace(/\s/g, '').length) return true;
  const rest = plain.replace(COUNTS, '');
  if (rest !== plain && (DATE_ONLY.test(rest) || !/[a-z]{3,}/.test(rest))) return true;
  if ((plain.match(COUNTS)?.length ?? 0) > 1 && plain.split(/\s+/).length < BYLINE_WORDS) return true;
  if (DATE_ONLY.test(plain)) return true;
  return isByline(original, plain) || isMenu(original) || isTagList(original);
}

/** A line that begins like a byline and holds, apart from dates, only names. */
function isByline(original: string, plain: string): boolean {
  const begun = BYLINE.exec(plain);
  if (begun === null || /[.!?]["”»)]?$/.test(original.trim()) || plain.split(/\s+/).length > BYLINE_WORDS)
    return false;
  const rest = [...original.matchAll(/\p{L}[\p{L}.'-]*/gu)].slice(begun[0].trim().split(/\s+/).length);
  const small = rest.filter(([word]) => /^\p{Ll}/u.test(word) && word.length > 3);
  return small.length <= 2;
}

/** Entries set apart by bars or dots, none of them a sentence. */
function isMenu(original: string): boolean {
  const entries = original.split(/\s+[|•·»›–]\s+/u);
  return entries.length >= 3 && entries.every((entry) => entry.split(/\s+/).length <= 5);
}

/** Words that a list of tags has at least, and the share of them that begins with a capital or a digit. */
const TAGS = { words: 10, capitals: 0.85 };

/** A run of names and subjects without an end: the tags of a page. */
function isTagList(original: string): boolean {
  const words = original.trim().split(/\s+/);
  if (words.length < TAGS.words || /[.!?]["”»)]?$/.test(original.trim())) return false;
  return words.filter((word) => /^[\p{Lu}\d]/u.test(word)).length >= TAGS.capitals * words.length;
}

const inner = (plain: string) =>
  plain
    .replace(/[^a-z0-9 ]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Words that a line needs to be known again inside another one. */
const QUOTE_WORDS = 5;

/** Sentences without furniture, and without those that the text says again in a longer one, as pull quotes do. */
export function withoutJunk(sentences: readonly ClaimSentence[]): ClaimSentence[] {
  const kept = sentences.filter(({ text }) => !isJunk(text));
  const plains = kept.map(({ text }) => ` ${inner(text.plain)} `);
  const seen = new Set<string>();
  const firstWords = new Map<string, number[]>();
  for (const [at, plain] of plains.entries()) {
    const words = plain.trim().split(' ');
    for (let from = 0; from + 2 < words.length; from++) {
      const key = words.slice(from, from + 3).join(' ');
      const list = firstWords.get(key);
      if (list === undefined) firstWords.set(key, [at]);
      else if (list.at(-1) !== at) list.push(at);
    }
  }
  return kept.filter((_, at) => {
    const plain = plains[at] ?? '';
    if (seen.has(plain)) return false;
    seen.add(plain);
    const words = plain.trim().split(' ');
    if (words.length < QUOTE_WORDS) return true;
    const others = firstWords.get(words.slice(0, 3).join(' ')) ?? [];
    return !others.some((other) => {
      const whole = plains[other] ?? '';
      return other !== at && whole.length > plain.length && whole.includes(plain);
    });
  });
}
