import { fold } from '../folding.ts';
import type { Vocabulary } from '../vocabulary.ts';
import type { Disguise, DisguiseRemoval } from './disguise.ts';
import type { TextEdit } from './edited-text.ts';

/** Letters that a digit or sign passes for. */
const PASSES_FOR: Readonly<Record<string, readonly string[]>> = {
  '0': ['o'],
  '1': ['i', 'l'],
  '3': ['e'],
  '4': ['a'],
  '5': ['s'],
  '7': ['t'],
  '8': ['b'],
  '9': ['g'],
  '@': ['a'],
  $: ['s'],
  '!': ['i', 'l'],
  '|': ['l', 'i'],
};

/** Letters and such digits in one row; not the name of an account, a part of an address, or a number with a unit. */
const mixed =
  /(?<![\p{L}\p{N}\p{M}@#/&?=._$-])[\p{L}\p{M}013-57-9$][\p{L}\p{M}013-57-9@$!|]{2,22}[\p{L}\p{M}013-57-9$](?![\p{L}\p{N}\p{M}@/$|-]|\.\p{L})/gu;
const sign = /[013-57-9@$!|]/;
/** A sign between letters, or one at the beginning: numbers stand at the end of names, and before units and endings. */
const within = /\p{L}[013-57-9@$!|]+\p{L}|^[013-57-9$]\p{L}/u;
const ordinal = /^\d+\p{L}{2}$/u;
const letter = /\p{L}/gu;
const lower = /\p{Ll}/u;

/** A word is read only when it is no rarer than this; surprise in nats. */
const RAREST = 16;
/** Capitals and digits in so few characters are a code or a stage name. */
const LONGEST_CODE = 5;
/** Readings that are tried: five digits of two letters each. */
const MOST_READINGS = 32;

/** All ways to read a row, in folded letters. */
function readings(row: string): string[] {
  let all = [''];
  for (const character of row) {
    const options = PASSES_FOR[character] ?? [character];
    if (all.length * options.length > MOST_READINGS) return [];
    all = all.flatMap((start) => options.map((option) => start + option));
  }
  return all;
}

/** The most common word that a row may be read as. */
function likeliest(row: string, vocabulary: Vocabulary): string | undefined {
  let best: { word: string; surprise: number } | undefined;
  for (const word of readings(row)) {
    const surprise = vocabulary.surprise(fold(word, 'strip').text);
    if (surprise !== undefined && surprise <= (best?.surprise ?? RAREST)) best = { word, surprise };
  }
  return best?.word;
}

/** Known words with digits or signs for some letters, "v4cc1ne". Names of things and numbers, "H1N1" or "B2B", stay. */
export function digitsForLetters(text: string, vocabulary: Vocabulary): DisguiseRemoval {
  const edits: TextEdit[] = [];
  const disguises: Disguise[] = [];
  for (const match of text.matchAll(mixed)) {
    const [row] = match;
    const letters = row.match(letter)?.length ?? 0;
    const isCode = !lower.test(row) && row.length <= LONGEST_CODE;
    if (!within.test(row) || ordinal.test(row) || isCode || letters * 3 < row.length) continue;
    const word = likeliest(row, vocabulary);
    if (word?.length !== row.length) continue;
    for (let index = 0; index < row.length; index++) {
      if (!sign.test(row.charAt(index))) continue;
      const read = word.charAt(index);
      const start = match.index + index;
      edits.push({ start, end: start + 1, text: lower.test(row) ? read : read.toUpperCase() });
    }
    disguises.push({ kind: 'digits_for_letters', start: match.index, end: match.index + row.length });
  }
  return { edits, disguises };
}
