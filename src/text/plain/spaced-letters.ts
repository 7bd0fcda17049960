import { fold } from '../folding.ts';
import type { Vocabulary } from '../vocabulary.ts';
import type { Disguise, DisguiseRemoval } from './disguise.ts';
import type { TextEdit } from './edited-text.ts';

/** Three single letters or more with one and the same space or mark between each two, none of them part of a word. */
const row =
  /(?<![\p{L}\p{N}\p{M}])\p{L}\p{M}*(?:([^\S\n]|[._*·•|~^+=:-])\p{L}\p{M}*)(?:\1\p{L}\p{M}*)+(?![\p{L}\p{N}\p{M}])/gu;
const upper = /^[\p{Lu}\p{M}]+$/u;
const vowel = /[aeiouy]/;
const blanks = /^[^\S\n]+$/u;

/** Letters that a row has at least: fewer are initials and lists. An unknown word, such as a name, needs more. */
const LEAST = { common: 3, known: 4, unknown: 5 } as const;
/** The same where dots stand between: abbreviations are written so too. */
const LEAST_DOTTED = { lower: 5, upper: 6 } as const;
/** Of three letters only a word this common is read, "T H E" but not "F B I"; surprise in nats. */
const COMMON = 8;
/** Letters on average of the words that a row is cut into; shorter words fit any letters. */
const LEAST_AVERAGE = 2.5;
/** Letters of the longest word that is looked for, and of the longest row that is cut into words. */
const LONGEST = { word: 24, row: 200 } as const;

/** Cuts letters into known words, with the least surprise; undefined when they cannot be. */
function cutIntoWords(letters: string, vocabulary: Vocabulary): string[] | undefined {
  const best: ({ surprise: number; from: number } | undefined)[] = [{ surprise: 0, from: 0 }];
  for (let end = 1; end <= letters.length; end++) {
    for (let from = Math.max(0, end - LONGEST.word); from < end; from++) {
      const before = best[from];
      const own = before && vocabulary.surprise(letters.slice(from, end));
      if (before === undefined || own === undefined) continue;
      const surprise = before.surprise + own;
      if (surprise < (best[end]?.surprise ?? Number.POSITIVE_INFINITY)) best[end] = { surprise, from };
    }
  }
  const words: string[] = [];
  for (let end = letters.length; end > 0; ) {
    const step = best[end];
    if (step === undefined) return undefined;
    words.unshift(letters.slice(step.from, end));
    end = step.from;
  }
  return words;
}

/** A row that only counts through the alphabet. */
function isAlphabet(letters: string): boolean {
  const steps = [...letters].map((letter, index) => letter.charCodeAt(0) - index);
  return steps.every((step) => step === steps[0]);
}

/** The words that letters spell; undefined when they spell none. */
function spelled(letters: string, vocabulary: Vocabulary): string[] | undefined {
  if (letters.length > LONGEST.row || isAlphabet(letters)) return undefined;
  const words = cutIntoWords(letters, vocabulary);
  if (words !== undefined && letters.length / words.length >= LEAST_AVERAGE) return words;
  // A known word of rare use, whose letters fall into commoner short ones.
  if (vocabulary.surprise(letters) !== undefined) return [letters];
  if (words !== undefined) return undefined;
  const isName = letters.length >= LEAST.unknown && letters.length <= LONGEST.word && vowel.test(letters);
  return isName ? [letters] : undefined;
}

function ofSpaced(letters: string, vocabulary: Vocabulary): string[] | undefined {
  if (letters.length >= LEAST.known) return spelled(letters, vocabulary);
  const surprise = vocabulary.surprise(letters);
  return surprise !== undefined && surprise <= COMMON ? [letters] : undefined;
}

function ofDotted(raw: string, letters: string, vocabulary: Vocabulary): string[] | undefined {
  const least = upper.test(raw) ? LEAST_DOTTED.upper : LEAST_DOTTED.lower;
  return letters.length >= least ? spelled(letters, vocabulary) : undefined;
}

/** Takes the marks of a row out, and leaves one space between its words. */
function joinWords(places: readonly { start: number; end: number }[], words: readonly string[]): TextEdit[] {
  const borders = new Set<number>();
  let length = 0;
  for (const word of words) {
    length += word.length;
    borders.add(length);
  }
  return places.slice(1).map(({ start }, index) => ({
    start: places[index]?.end ?? 0,
    end: start,
    text: borders.has(index + 1) ? ' ' : '',
  }));
}

/** Words that are spelled letter by letter, "H I D I N G" or "h-i-d-i-n-g". Abbreviations, initials and lists stay. */
export function spacedLetters(text: string, vocabulary: Vocabulary): DisguiseRemoval {
  const edits: TextEdit[] = [];
  const disguises: Disguise[] = [];
  for (const match of text.matchAll(row)) {
    const [whole, mark = ''] = match;
    const places = [...whole.matchAll(/\p{L}\p{M}*/gu)].map(({ 0: letter, index }) => ({
      start: match.index + index,
      end: match.index + index + letter.length,
    }));
    const raw = whole.replaceAll(mark, '');
    const letters = fold(raw, 'strip').text;
    if (letters.length !== places.length) continue;
    const words = mark === '.' ? ofDotted(raw, letters, vocabulary) : ofSpaced(letters, vocabulary);
    if (words === undefined) continue;
    const start = match.index;
    // Two spelled words stand further apart than two letters.
    const gap = disguises.at(-1)?.end ?? start;
    if (start - gap > 1 && blanks.test(text.slice(gap, start)))
      edits.push({ start: gap, end: start, text: ' ' });
    edits.push(...joinWords(places, words));
    disguises.push({
      kind: mark === '.' ? 'inner_marks' : 'spaced_letters',
      start,
      end: start + whole.length,
    });
  }
  return { edits, disguises };
}
