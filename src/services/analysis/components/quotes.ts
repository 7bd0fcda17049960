import { IGNORABLE } from '../../../text/ignorable.ts';
import type { PlainText } from '../../../text/plain/plain-text.ts';
import type { Span } from '../../../text/positions.ts';
import { toPlainText } from '../engines/plain-text.ts';

/** Characters that carry no meaning for "the same words": they differ between a text and its copy. */
const skipped = new RegExp(`[\\s${IGNORABLE}]`, 'u');
const loneSurrogate = /\p{Surrogate}/u;
const word = /[\p{L}\p{N}\p{M}]/u;
const enclosing = /^[\s"'“”„«»‘’]*(?:…|\.\.\.)?\s*|\s*(?:…|\.\.\.)?[\s"'“”„«»‘’]*$/gu;

/** One sign for the variants of it; the comma below stands for the cedilla that old Romanian texts use in its place. */
const variants: ReadonlyMap<string, string> = new Map([
  ...[...'“”„«»″'].map((mark): [string, string] => [mark, '"']),
  ...[...'‘’‚‛′`´'].map((mark): [string, string] => [mark, "'"]),
  ...[...'‐‑‒–—―−'].map((dash): [string, string] => [dash, '-']),
  ['\u0327', '\u0326'],
]);

/** Occurrences of a quote that are looked at before it counts as not found. */
const MOST_OCCURRENCES = 64;

/** A text without white space and typography, and where each of its units came from. */
interface Folded {
  readonly text: string;
  /** UTF-16 index in the source of each unit, and of the unit's end. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** What is compared of one character: nothing, itself, or its parts. */
function foldedUnits(character: string): string[] {
  if (character >= 'A' && character <= 'z') return [variants.get(character) ?? character];
  if (skipped.test(character)) return [];
  // Half of a pair must not match inside a whole one; models see it as U+FFFD anyway.
  if (loneSurrogate.test(character)) return ['\ufffd'];
  const parts = [...character.normalize('NFKD')].filter((part) => !skipped.test(part));
  return parts.map((part) => variants.get(part) ?? part);
}

function fold(source: string): Folded {
  const units: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let index = 0;
  for (const character of source) {
    const end = index + character.length;
    for (const unit of foldedUnits(character)) {
      units.push(unit);
      for (let half = 0; half < unit.length; half++) {
        starts.push(index);
        ends.push(end);
      }
    }
    index = end;
  }
  return { text: units.join(''), starts, ends };
}

/**
 * Finds quotes in one text. A quote is found when its letters, digits and signs stand there in the same order, whatever
 * the white space, the style of quotation marks and dashes, or the form of accented letters; it must begin and end at the
 * border of a word. The text is read as a person reads it; the span is always verbatim from what was sent.
 */
export class Quotes {
  private readonly source: string;
  private readonly folded: Folded;
  private readonly plain: PlainText;

  constructor(text: string) {
    this.plain = toPlainText(text);
    this.source = this.plain.text;
    this.folded = fold(this.source);
  }

  /** The first place of a quote; one with marks or dots of omission around it is looked for without them too. */
  find(quote: string): Span | undefined {
    return this.locate(quote) ?? this.locate(quote.replace(enclosing, ''));
  }

  private locate(quote: string): Span | undefined {
    const foldedQuote = fold(quote).text;
    if (!word.test(foldedQuote)) return undefined;
    const { text, starts, ends } = this.folded;
    let from = text.indexOf(foldedQuote);
    for (let tries = 0; from >= 0 && tries < MOST_OCCURRENCES; tries++) {
      const start = starts[from] ?? 0;
      const end = ends[from + foldedQuote.length - 1] ?? start;
      if (!this.isInsideWord(start) && !this.isInsideWord(end)) return this.plain.span(start, end);
      from = text.indexOf(foldedQuote, from + 1);
    }
    return undefined;
  }

  /** Whether a UTF-16 index lies between two characters of one word. */
  private isInsideWord(index: number): boolean {
    if (index <= 0 || index >= this.source.length) return false;
    const low = this.source.charCodeAt(index - 1);
    const before = this.source.codePointAt((low & 0xfc00) === 0xdc00 ? index - 2 : index - 1) ?? 0;
    const after = this.source.codePointAt(index) ?? 0;
    return word.test(String.fromCodePoint(before)) && word.test(String.fromCodePoint(after));
  }
}
