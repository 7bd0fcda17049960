import { hashText } from '../../../../text/features.ts';
import { fold } from '../../../../text/folding.ts';
import { IGNORABLE } from '../../../../text/ignorable.ts';
import { sentencesOf } from '../../../../text/sentences.ts';

/** A word, number or mark of the text, with UTF-16 offsets into the original text. */
export interface Token {
  readonly start: number;
  readonly end: number;
  /** Lower-case form without diacritics, characters that show nothing or look-alike letters; marks in their plain form. */
  readonly form: string;
  /** 32-bit hash of `form`. */
  readonly hash: number;
  readonly kind: TokenKind;
}

/** `lower`, `title` and `caps` are words by their case. */
export type TokenKind = 'lower' | 'title' | 'caps' | 'number' | 'mark';

/** A run of tokens, `from` inclusive and `to` exclusive. */
export interface TokenRange {
  readonly from: number;
  readonly to: number;
}

const letters = `[\\p{L}\\p{M}\\p{N}${IGNORABLE}]`;
const scanner = new RegExp(`${letters}+(?:['’ʼ\`]${letters}+)*|\\S`, 'gu');
const ascii = /^[a-z0-9]+$/i;

/** Folds one word to the form that rules and features look at. */
export function foldWord(word: string): string {
  return ascii.test(word) ? word.toLowerCase() : fold(word.normalize('NFKC'), 'strip').text.trim();
}

/** Splits a text into tokens. Hyphens inside words only separate ("ne-au" is "ne", "au"). Linear in the length. */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(scanner)) {
    const raw = match[0];
    const start = match.index;
    const folded = foldWord(raw);
    if (folded === '' || isJoin(text, start, raw)) continue;
    // Quotation marks keep their direction.
    const form = folded === '"' ? raw : folded;
    tokens.push({
      start,
      end: start + raw.length,
      form,
      hash: hashText(form) >>> 0,
      kind: kindOf(raw, form),
    });
  }
  return tokens;
}

const wordCharacter = /[\p{L}\p{N}]/u;

function isJoin(text: string, start: number, raw: string): boolean {
  if (raw !== '-' && raw !== '\u2010' && raw !== '\u2011') return false;
  return wordCharacter.test(text.charAt(start - 1)) && wordCharacter.test(text.charAt(start + 1));
}

const startsAsWord = /^[\p{L}\p{N}]/u;

function kindOf(raw: string, form: string): TokenKind {
  const first = form.charCodeAt(0);
  if (first >= 48 && first <= 57) return 'number';
  if (!startsAsWord.test(form)) return 'mark';
  const lower = raw.toLowerCase();
  if (raw === lower) return 'lower';
  if (form.length > 1 && raw === raw.toUpperCase()) return 'caps';
  return 'title';
}

/** Token ranges of the sentences of a text. */
export function sentenceRanges(text: string, tokens: readonly Token[]): TokenRange[] {
  const ranges: TokenRange[] = [];
  let from = 0;
  for (const sentence of sentencesOf(text)) {
    while (from < tokens.length && (tokens[from]?.start ?? 0) < sentence.start) from += 1;
    let to = from;
    while (to < tokens.length && (tokens[to]?.start ?? 0) < sentence.end) to += 1;
    if (to > from) ranges.push({ from, to });
    from = to;
  }
  return ranges;
}
