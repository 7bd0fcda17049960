import { Positions, type Span } from '../positions.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { digitsForLetters } from './digits-for-letters.ts';
import type { Disguise, DisguiseRemoval } from './disguise.ts';
import { editText } from './edited-text.ts';
import { innerMarks } from './inner-marks.ts';
import { spacedLetters } from './spaced-letters.ts';
import { visibleEdits } from './visible.ts';

/** A text as people read it: without invisible characters, and with disguised words in their usual spelling. */
export interface PlainText {
  readonly text: string;
  /** The span, in what was sent, of a stretch of `text` in UTF-16 units. */
  span(startUtf16: number, endUtf16: number): Span;
  /** The disguised words, in UTF-16 units of what was sent, in order. */
  readonly disguises: readonly Disguise[];
}

/** Edits of several readers: of those that overlap the first reader's stay. */
function combined(all: readonly DisguiseRemoval[]): DisguiseRemoval {
  const kept: Disguise[] = [];
  const edits = all.flatMap((unmasked) => {
    const free = unmasked.disguises.filter(
      ({ start, end }) => !kept.some((other) => start < other.end && other.start < end),
    );
    kept.push(...free);
    if (free.length === unmasked.disguises.length) return unmasked.edits;
    return unmasked.edits.filter((edit) =>
      free.some(({ start, end }) => edit.start >= start && edit.end <= end),
    );
  });
  return {
    edits: edits.toSorted((one, other) => one.start - other.start),
    disguises: kept.toSorted((one, other) => one.start - other.start),
  };
}

/** Reads a text as a person does. Linear in its length; a text without disguise stays letter for letter. */
export function plainTextOf(sent: string, vocabulary: Vocabulary): PlainText {
  const positions = new Positions(sent);
  const hidden = visibleEdits(sent);
  const visible = editText(sent, hidden.edits);
  const masked = combined([
    spacedLetters(visible.text, vocabulary),
    innerMarks(visible.text, vocabulary),
    digitsForLetters(visible.text, vocabulary),
  ]);
  const plain = editText(visible.text, masked.edits);
  const words = masked.disguises.map(({ kind, start, end }) => ({ kind, ...visible.source(start, end) }));
  return {
    text: plain.text,
    span(start, end) {
      const inVisible = plain.source(start, end);
      const inSent = visible.source(inVisible.start, inVisible.end);
      return positions.span(inSent.start, inSent.end);
    },
    disguises: [...hidden.disguises, ...words].toSorted((one, other) => one.start - other.start),
  };
}
