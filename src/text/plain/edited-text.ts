import type { TextRange } from '../positions.ts';
/** A replacement in a text: the UTF-16 units from `start` to `end` become `text`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text after its edits, which leads each of its stretches back to the text before them. */
export interface EditedText {
  readonly text: string;
  /** The stretch of the source behind a stretch of the edited text; what was left out at its borders stays outside. */
  source(start: number, end: number): TextRange;
}

/** A piece of the edited text: copied from the source, or put in the place of a piece of it. */
interface Piece {
  /** Where it begins in the edited text and in the source, and what it takes there. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly copied: boolean;
}

/** The last piece that begins at or before an index. */
function pieceAt(pieces: readonly Piece[], index: number): Piece | undefined {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.at ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return pieces[low - 1];
}

/** Makes edits, which stand in order and do not overlap. Linear in the text; each look back is logarithmic in the edits. */
export function editText(source: string, edits: readonly TextEdit[]): EditedText {
  if (edits.length === 0) return { text: source, source: (start, end) => ({ start, end }) };
  const pieces: Piece[] = [];
  const texts: string[] = [];
  let at = 0;
  const add = (text: string, from: number, to: number, copied: boolean) => {
    if (text === '') return;
    pieces.push({ at, from, to, copied });
    texts.push(text);
    at += text.length;
  };
  let done = 0;
  for (const { start, end, text } of edits) {
    add(source.slice(done, start), done, start, true);
    add(text, start, end, false);
    done = end;
  }
  add(source.slice(done), done, source.length, true);

  const startOf = (index: number) => {
    const piece = index < at ? pieceAt(pieces, index) : undefined;
    if (piece === undefined) return source.length;
    return piece.copied ? piece.from + index - piece.at : piece.from;
  };
  const endOf = (index: number) => {
    const piece = pieceAt(pieces, index - 1);
    if (piece === undefined) return 0;
    return piece.copied ? piece.from + index - piece.at : piece.to;
  };
  return {
    text: texts.join(''),
    source(start, end) {
      const from = startOf(start);
      return { start: from, end: end > start ? endOf(end) : from };
    },
  };
}
