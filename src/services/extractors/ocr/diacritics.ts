import { type OcrLine, overlapArea, replaceWords } from './lines.ts';
import type { Box, OcrWord } from './tesseract.ts';

/** Share of a word's box that another one covers when both are the same word. */
const SAME_PLACE = 0.5;

const bare = (letter: string) => letter.normalize('NFD').replace(/\p{M}/gu, '');

/** A word with the diacritics of either run: they are missed far more often than invented. */
export function mergeDiacritics(word: string, again: string): string {
  const [letters, others] = [[...word.normalize('NFC')], [...again.normalize('NFC')]];
  const isSame =
    letters.length === others.length &&
    letters.every((letter, at) => bare(letter) === bare(others[at] ?? ''));
  if (!isSame) return word;
  return letters.map((letter, at) => (letter === bare(letter) ? (others[at] ?? letter) : letter)).join('');
}

function isSamePlace(one: Box, other: Box): boolean {
  const area = overlapArea(one, other);
  return area > 0 && area >= SAME_PLACE * one.width * one.height;
}

/** Lines with the diacritics of a second run over the same picture, whose boxes are in the same pixels. */
export function restoreDiacritics(lines: readonly OcrLine[], again: readonly OcrWord[]): OcrLine[] {
  return lines.map((line) =>
    replaceWords(
      line,
      line.words.map((word) => {
        const other = again.find(({ box }) => isSamePlace(word.box, box));
        return other === undefined ? word : { ...word, text: mergeDiacritics(word.text, other.text) };
      }),
    ),
  );
}
