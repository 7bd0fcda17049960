import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { foldGlossWord } from '../../../text/encoder/gloss.ts';
import { cueOf } from '../../../text/statement/cues.ts';
import { termsOf } from '../../../text/terms.ts';
import { loadVocabulary, type Vocabulary } from '../../../text/vocabulary.ts';

type Language = 'en' | 'ro';

/** A word of a claim that says something of its topic, or a number with its unit. */
interface KeyWord {
  readonly text: string;
  /** RequestLimiter of its first and last word among all words of the claim. */
  readonly from: number;
  readonly to: number;
  readonly isName: boolean;
  readonly isNumber: boolean;
  /** The higher, the less a search should do without it. */
  readonly weight: number;
}

/** Weights are in nats: how rare a word is, and what is added to it. */
const WEIGHTS = {
  /** The surprise of a word that the vocabulary does not have. */
  unknown: 15,
  name: 8,
  /** The first word that says something is mostly what the claim is about. */
  first: 4,
  /** The first number, and the others: a page seldom has all numbers of a claim in the same form. */
  number: 14,
  laterNumber: 4,
} as const;
/** Words that deny: a page on the claim has its other words, whether it denies it or not. */
const DENIALS = new Set(
  "not no nu n't don't doesn't isn't wasn't aren't won't didn't hasn't never cannot can't".split(' '),
);
/** A word that belongs to the number before it: "5 million", "45 de miliarde". */
const SCALES =
  /^(?:hundreds?|thousands?|million|billion|trillion|percent|mii|milion|milioane|mld|miliarde?|procente?|%)$/;

/** Small words that stand within names: "Bank of England", "Carol al IV-lea". */
const WITHIN_NAMES = new Set('of the de al a ale la din von van del'.split(' '));

/** The words of a claim as they are written, without the marks around them, and whether one begins a sentence. */
function tokensOf(claim: string): { text: string; isOpening: boolean }[] {
  let isOpening = true;
  return claim.split(/\s+/).flatMap((raw) => {
    const text = raw.replace(/^[^\p{L}\p{N}$€£%]+|[^\p{L}\p{N}%€£]+$/gu, '').replace(/['’]s$/u, '');
    const token = { text, isOpening };
    if (text !== '') isOpening = /[.!?:]["”]?$/u.test(raw);
    return text === '' ? [] : [token];
  });
}

let vocabulary: Vocabulary | undefined;

/** How rare a word is, in nats. */
function rarityOf(folded: string): number {
  vocabulary ??= loadVocabulary(readFileSync(packageFile('models', 'vocabulary.bin')));
  return Math.min(vocabulary.surprise(folded) ?? WEIGHTS.unknown, WEIGHTS.unknown);
}

function keyWordsOf(claim: string, language: Language): KeyWord[] {
  const isShouted = !/\p{Ll}/u.test(claim);
  const tokens = tokensOf(claim);
  const selected: KeyWord[] = [];
  for (const [place, { text, isOpening }] of tokens.entries()) {
    const folded = foldGlossWord(text);
    const last = selected.at(-1);
    if (SCALES.test(folded) && last?.isNumber === true && place - last.to <= 2) {
      const whole = tokens.slice(last.from, place + 1).map((token) => token.text);
      selected[selected.length - 1] = { ...last, to: place, text: whole.join(' ') };
      continue;
    }
    const isNumber = /\d/.test(text) && !/^\p{L}/u.test(text);
    const isCapital = !isShouted && /^\p{Lu}/u.test(text);
    const isName = isCapital && (!isOpening || /^\p{Lu}{2}/u.test(text));
    const says = termsOf(text).length > 0 && cueOf(folded, language) === undefined && !DENIALS.has(folded);
    if (!isNumber && !isName && !says) continue;
    const own = (isName ? WEIGHTS.name : 0) + (selected.length === 0 ? WEIGHTS.first : 0) + rarityOf(folded);
    const ofNumber = selected.some((one) => one.isNumber) ? WEIGHTS.laterNumber : WEIGHTS.number;
    selected.push({ text, from: place, to: place, isName, isNumber, weight: isNumber ? ofNumber : own });
  }
  return selected;
}

/** The words of a claim that a search should not do without, in its order: names and a number first, then the rarest. */
export function keyWords(claim: string, language: Language, most: number): string[] {
  const words = keyWordsOf(claim, language);
  const ranked = words.toSorted((one, other) => other.weight - one.weight).slice(0, most);
  return words.filter((word) => ranked.includes(word)).map(({ text }) => text);
}

/** The longest name in a claim, the first of equally long ones; undefined when it has none. */
export function longestName(claim: string, language: Language): string | undefined {
  const tokens = tokensOf(claim);
  const runs: { from: number; to: number }[] = [];
  for (const { text, from, isName } of keyWordsOf(claim, language)) {
    const last = runs.at(-1);
    const isJoined = (to: number) =>
      from === to + 1 || WITHIN_NAMES.has(foldGlossWord(tokens[to + 1]?.text ?? ''));
    if (last !== undefined && isName && from - last.to <= 2 && isJoined(last.to)) last.to = from;
    else if (isName || (from === 0 && /^\p{Lu}/u.test(text))) runs.push({ from, to: from });
  }
  // One word that opens the claim has its capital from there, unless a name goes on behind it.
  const named = runs.filter(({ from, to }) => to > from || from > 0 || /^\p{Lu}{2}/u.test(claim));
  const [longest] = named.toSorted((one, other) => other.to - other.from - (one.to - one.from));
  if (longest === undefined) return undefined;
  return tokens
    .slice(longest.from, longest.to + 1)
    .map(({ text }) => text)
    .join(' ');
}
