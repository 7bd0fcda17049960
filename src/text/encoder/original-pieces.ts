import type { GlossedPart } from './gloss.ts';
import type { Piece } from './tokenizer.ts';

/** A part of a glossed text in code points: of the English text and of the text itself. */
interface Passage {
  readonly english: { readonly start: number; readonly end: number };
  readonly source: { readonly start: number; readonly end: number };
  /** Whether both hold the same characters. */
  readonly same: boolean;
}

const codePoints = (text: string): number => [...text].length;

function passagesOf(parts: readonly GlossedPart[], source: string): Passage[] {
  const passages: Passage[] = [];
  let [english, own, unit] = [0, 0, 0];
  for (const part of parts) {
    own += codePoints(source.slice(unit, part.start));
    const words = source.slice(part.start, part.end);
    const passage = {
      english: { start: english, end: english + codePoints(part.english) },
      source: { start: own, end: own + codePoints(words) },
      same: part.english === words,
    };
    english = passage.english.end;
    own = passage.source.end;
    unit = part.end;
    passages.push(passage);
  }
  return passages;
}

/** Leads the places of pieces of a glossed text back to the text: the words that they were made of. */
export function originalPieces(
  pieces: readonly Piece[],
  parts: readonly GlossedPart[],
  source: string,
): Piece[] {
  const passages = passagesOf(parts, source).filter(({ english }) => english.end > english.start);
  let index = 0;
  return pieces.map(({ id, start, end }) => {
    while (index < passages.length - 1 && start >= (passages[index]?.english.end ?? 0)) index++;
    const passage = passages[index];
    if (passage === undefined) return { id, start: 0, end: 0 };
    if (!passage.same) return { id, start: passage.source.start, end: passage.source.end };
    const shift = passage.source.start - passage.english.start;
    // A piece of unknown characters may reach beyond its part.
    return { id, start: start + shift, end: Math.min(end + shift, passage.source.end) };
  });
}
