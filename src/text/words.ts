import { CHARACTER_KINDS, characterKind } from './characters.ts';

/** A word or number with its UTF-16 offsets; `text` is verbatim. */
export interface Word {
  start: number;
  end: number;
  text: string;
}

const APOSTROPHE = 0x27;
const TYPOGRAPHIC_APOSTROPHE = 0x2019;
const COMMA = 0x2c;
const FULL_STOP = 0x2e;

/**
 * Words and numbers in reading order. An apostrophe between letters (don't) and a point or comma between digits
 * (12,5) belong to the token; hyphens part words (într-un is two), which keeps Romanian clitics apart.
 */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let index = 0;
  while (index < text.length) {
    if (!isWordUnit(text, index)) {
      index++;
      continue;
    }
    const start = index;
    index = wordEnd(text, start);
    words.push({ start, end: index, text: text.slice(start, index) });
  }
  return words;
}

/** Number of words and numbers, without building them. */
export function countWords(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    if (!isWordUnit(text, index)) continue;
    count++;
    index = wordEnd(text, index);
  }
  return count;
}

function isWordUnit(text: string, index: number): boolean {
  const kind = characterKind(text.charCodeAt(index));
  return kind === CHARACTER_KINDS.letter || kind === CHARACTER_KINDS.digit;
}

function wordEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    const kind = characterKind(unit);
    const inside =
      kind === CHARACTER_KINDS.letter || kind === CHARACTER_KINDS.digit || kind === CHARACTER_KINDS.mark;
    if (!inside && !joins(text, index, unit)) break;
    index++;
  }
  return index;
}

function joins(text: string, index: number, unit: number): boolean {
  if (index + 1 >= text.length) return false;
  const before = characterKind(text.charCodeAt(index - 1));
  const after = characterKind(text.charCodeAt(index + 1));
  if (unit === APOSTROPHE || unit === TYPOGRAPHIC_APOSTROPHE) {
    return before !== CHARACTER_KINDS.digit && after === CHARACTER_KINDS.letter;
  }
  const numeric = unit === COMMA || unit === FULL_STOP;
  return numeric && before === CHARACTER_KINDS.digit && after === CHARACTER_KINDS.digit;
}
