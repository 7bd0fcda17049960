import { Positions } from '../../../../text/positions.ts';
import { sentencesOf } from '../../../../text/sentences.ts';

/** The part of a text that a model reads; lengths in code points. */
export interface TextWindow {
  readonly text: string;
  readonly length: number;
  /** Length of the whole text. */
  readonly of: number;
}

/** The beginning of a text, at most `most` code points, cut after a sentence where one ends there. */
export function windowOf(text: string, most: number): TextWindow {
  const positions = new Positions(text);
  const of = positions.length;
  if (of <= most) return { text, length: of, of };
  const cut = text.slice(0, positions.utf16(most));
  // The last sentence of the piece is the one that was cut; a single sentence is cut where the window ends.
  const end = sentencesOf(cut).at(-2)?.end ?? cut.length;
  return { text: cut.slice(0, end), length: positions.codePoint(end), of };
}

/** Says which part of a text stands before the reader; empty when it is all of it. */
export function partNote({ length, of }: TextWindow): string {
  return length === of
    ? ''
    : `The material is the beginning of a longer text: ${length} of ${of} characters.`;
}
