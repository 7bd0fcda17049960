import { stripDiacritics } from '../folding.ts';

/** Romanian words and phrases with their English words, all Romanian ones folded. */
export interface Gloss {
  /** Phrases of two to four words, parted by single spaces. */
  readonly phrases: ReadonlyMap<string, string>;
  readonly words: ReadonlyMap<string, string>;
  /** Words without their endings. */
  readonly stems: ReadonlyMap<string, string>;
}

/** A part of a glossed text: English words for the text from `start` to `end` (UTF-16), or that text itself. */
export interface GlossedPart {
  readonly start: number;
  readonly end: number;
  readonly english: string;
}

/** Words in the longest phrase. */
const LONGEST_PHRASE = 4;
/** Letters that a stem keeps at least. */
const SHORTEST_STEM = 4;
/** The part of a word that a shorter form must share with it. */
const LEAST_PREFIX = 0.7;

/** Endings of nouns, adjectives and verbs, folded, the longest first. */
const ENDINGS = [
  'urilor',
  'iilor',
  'elor',
  'ilor',
  'ului',
  'urile',
  'easca',
  'eaza',
  'esc',
  'este',
  'indu',
  'andu',
  'ind',
  'and',
  'uri',
  'ele',
  'ile',
  'lor',
  'lui',
  'ati',
  'eti',
  'iti',
  'ase',
  'ise',
  'use',
  'easc',
  'ul',
  'le',
  'ii',
  'ia',
  'ea',
  'ei',
  'at',
  'it',
  'ut',
  'am',
  'em',
  'im',
  'au',
  'a',
  'e',
  'i',
  'u',
  'o',
  'l',
].sort((one, two) => two.length - one.length);

/** The endings by their last letter, so that few are tried for each word. */
const ENDINGS_BY_LETTER: ReadonlyMap<string, readonly string[]> = new Map(
  [...new Set(ENDINGS.map((ending) => ending.slice(-1)))].map((letter) => [
    letter,
    ENDINGS.filter((ending) => ending.endsWith(letter)),
  ]),
);

/** Words that only bind others in Romanian and have no English word. */
const DROPPED = new Set(['a', 'pe', 'sa', 'lui', 'al', 'ai', 'ale', 'isi']);

/** A word as the tables have it: lower case, no diacritics. */
export function foldGlossWord(word: string): string {
  return stripDiacritics(word.toLowerCase());
}

/** A folded word without its ending, at least four letters. */
export function stemOf(word: string): string {
  const endings = ENDINGS_BY_LETTER.get(word.charAt(word.length - 1));
  const ending = endings?.find((end) => word.length - end.length >= SHORTEST_STEM && word.endsWith(end));
  return ending === undefined ? word : word.slice(0, -ending.length);
}

let lastRead: { readonly text: string; readonly gloss: Gloss } | undefined;

/**
 * Reads a gloss file: lines of kind, Romanian and English, parted by tabs; lines that begin with # are remarks. The last one is kept, since
 * every engine of a thread reads the same file.
 */
export function readGloss(text: string): Gloss {
  if (lastRead?.text !== text) lastRead = { text, gloss: parseGloss(text) };
  return lastRead.gloss;
}

function parseGloss(text: string): Gloss {
  const tables = {
    phrase: new Map<string, string>(),
    word: new Map<string, string>(),
    stem: new Map<string, string>(),
  };
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [kind, romanian, english] = line.split('\t');
    if (
      english === undefined ||
      romanian === undefined ||
      (kind !== 'phrase' && kind !== 'word' && kind !== 'stem')
    )
      throw new Error(`This is no line of a gloss file: ${line}`);
    tables[kind].set(romanian, english);
  }
  // A stem is listed only where its words differ in English.
  for (const [word, english] of tables.word) {
    const stem = stemOf(word);
    if (!tables.stem.has(stem)) tables.stem.set(stem, english);
  }
  return { phrases: tables.phrase, words: tables.word, stems: tables.stem };
}

interface SourceWord {
  readonly start: number;
  readonly end: number;
  readonly folded: string;
}

/** Puts English words in the place of Romanian ones, from left to right; what it does not know it leaves. */
export function glossText(gloss: Gloss, text: string): GlossedPart[] {
  const words: SourceWord[] = [...text.matchAll(/\p{L}[\p{L}\p{M}]*/gu)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
    folded: foldGlossWord(word),
  }));
  const parts: GlossedPart[] = [];
  let passed = 0;
  const add = (start: number, end: number, english: string) => {
    if (start > passed) parts.push({ start: passed, end: start, english: text.slice(passed, start) });
    parts.push({ start, end, english: english === '' ? '' : withCase(english, text.slice(start, end)) });
    passed = end;
  };
  for (let index = 0; index < words.length; ) {
    const { length, english, first, last } = match(gloss, words, index);
    if (english !== undefined) add(first.start, last.end, english);
    index += length;
  }
  if (passed < text.length) parts.push({ start: passed, end: text.length, english: text.slice(passed) });
  return parts;
}

/** The longest known phrase from a word on, or the word alone. */
function match(gloss: Gloss, words: readonly SourceWord[], index: number) {
  const first = words[index] ?? { start: 0, end: 0, folded: '' };
  for (let length = Math.min(LONGEST_PHRASE, words.length - index); length > 1; length--) {
    const phrase = words.slice(index, index + length);
    const english = gloss.phrases.get(phrase.map(({ folded }) => folded).join(' '));
    if (english !== undefined) return { length, english, first, last: phrase.at(-1) ?? first };
  }
  return { length: 1, english: glossWord(gloss, first.folded), first, last: first };
}

/** The English word for a folded Romanian one; undefined when it is best left as it is. */
export function glossWord({ words, stems }: Gloss, word: string): string | undefined {
  if (DROPPED.has(word)) return '';
  const known = words.get(word) ?? stems.get(stemOf(word));
  if (known !== undefined) return known;
  const shortest = Math.max(SHORTEST_STEM, Math.ceil(word.length * LEAST_PREFIX));
  for (let length = word.length - 1; length >= shortest; length--) {
    const prefix = word.slice(0, length);
    const close = words.get(prefix) ?? stems.get(prefix);
    if (close !== undefined) return close;
  }
  return undefined;
}

/** English words with a capital where the Romanian ones have one. */
function withCase(english: string, source: string): string {
  const capital = source[0] !== source[0]?.toLowerCase();
  return capital ? english[0]?.toUpperCase() + english.slice(1) : english;
}
