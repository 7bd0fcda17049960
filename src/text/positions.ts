/** A piece of a text: code points are canonical, the UTF-16 pair serves JavaScript readers, the quote is verbatim. */
export interface Span {
  start: number;
  end: number;
  start_utf16: number;
  end_utf16: number;
  quote: string;
}

/**
 * Converts between UTF-16 indices and code point indices of one text. A lone surrogate counts as one code point,
 * as string iteration counts it. Building is linear in the text; each conversion is logarithmic in the number of
 * surrogate pairs, and constant for the usual text that has none.
 */
export class Positions {
  readonly text: string;
  /** Ascending UTF-16 indices of the first halves of surrogate pairs. */
  private readonly pairs: Uint32Array;

  constructor(text: string) {
    this.text = text;
    this.pairs = surrogatePairs(text);
  }

  /** Length of the text in code points. */
  get length(): number {
    return this.text.length - this.pairs.length;
  }

  /** Code point index of a UTF-16 index; the middle of a pair counts as its start. */
  codePoint(utf16: number): number {
    const index = clamp(utf16, this.text.length);
    return index - this.pairsBelow(index, 0);
  }

  /** UTF-16 index at which a code point starts. */
  utf16(codePoint: number): number {
    const index = clamp(codePoint, this.length);
    return index + this.pairsBelow(index, 1);
  }

  /** Number of pairs j whose position, less j times `shift`, lies below the index. */
  private pairsBelow(index: number, shift: 0 | 1): number {
    let low = 0;
    let high = this.pairs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.pairs[middle] ?? 0) - shift * middle < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The span between two UTF-16 indices, widened to whole code points and clamped to the text. */
  span(startUtf16: number, endUtf16: number): Span {
    const start = this.codePoint(startUtf16);
    const from = this.utf16(start);
    let end = this.codePoint(Math.max(startUtf16, endUtf16));
    let to = this.utf16(end);
    if (to < clamp(endUtf16, this.text.length)) {
      end += 1;
      to = this.utf16(end);
    }
    return { start, end, start_utf16: from, end_utf16: to, quote: this.text.slice(from, to) };
  }
}

/** The span of a piece of text given in UTF-16 indices; build one Positions per text when there are many spans. */
export function spanOf(source: string | Positions, startUtf16: number, endUtf16: number): Span {
  const positions = typeof source === 'string' ? new Positions(source) : source;
  return positions.span(startUtf16, endUtf16);
}

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(Math.trunc(index), length));
}

const surrogate = /[\uD800-\uDBFF]/;

function surrogatePairs(text: string): Uint32Array {
  const first = text.search(surrogate);
  if (first < 0) return new Uint32Array(0);
  const indexes: number[] = [];
  for (let index = first; index + 1 < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xd800) continue;
    if ((text.charCodeAt(index + 1) & 0xfc00) !== 0xdc00) continue;
    indexes.push(index);
    index++;
  }
  return Uint32Array.from(indexes);
}

/** Whether two ranges of a text have something in common. */
export const overlaps = (one: Pick<Span, 'start' | 'end'>, other: Pick<Span, 'start' | 'end'>): boolean =>
  one.start < other.end && other.start < one.end;

/** A stretch of a text in UTF-16 units, `end` exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}
