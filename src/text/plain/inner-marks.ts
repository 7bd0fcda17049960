import { fold } from '../folding.ts';
import type { Vocabulary } from '../vocabulary.ts';
import type { Disguise, DisguiseRemoval } from './disguise.ts';
import type { TextEdit } from './edited-text.ts';

/** Parts of a word with marks between; what an address or a file name has around it is left alone. */
const marked =
  /(?<![\p{L}\p{N}\p{M}@/:\\#&?=._-])[\p{L}\p{M}]+(?:[._*·•|~^+=:,][\p{L}\p{M}]+)+(?![\p{L}\p{N}\p{M}@/\\])/gu;
const parts = /[\p{L}\p{M}]+/gu;
const upper = /^[\p{Lu}\p{M}]+$/u;
const lowerStart = /^\p{Ll}/u;

/** Letters of the words that marks are taken out of. */
const LETTERS = { least: 4, most: 24 } as const;

/** Whether a word is likelier than its parts, each a word of its own. */
function isLikelier(word: string, pieces: readonly string[], vocabulary: Vocabulary): boolean {
  const surprise = (piece: string) =>
    vocabulary.surprise(fold(piece, 'strip').text) ?? Number.POSITIVE_INFINITY;
  const whole = surprise(word);
  return Number.isFinite(whole) && whole < pieces.reduce((sum, piece) => sum + surprise(piece), 0);
}

/** Known words with marks inside, "vac.cine" or "hid*ing". Addresses, abbreviations and missing spaces stay. */
export function innerMarks(text: string, vocabulary: Vocabulary): DisguiseRemoval {
  const edits: TextEdit[] = [];
  const disguises: Disguise[] = [];
  for (const match of text.matchAll(marked)) {
    const [whole] = match;
    if (whole.length > 2 * LETTERS.most) continue;
    const pieces = [...whole.matchAll(parts)];
    const texts = pieces.map(([piece]) => piece);
    const word = texts.join('');
    if (word.length < LETTERS.least || word.length > LETTERS.most) continue;
    // A capital after a mark begins a sentence or a name; single letters are abbreviations.
    if (!upper.test(word) && !texts.slice(1).every((piece) => lowerStart.test(piece))) continue;
    if (texts.every((piece) => piece.length === 1) || !isLikelier(word, texts, vocabulary)) continue;
    for (const [index, piece] of pieces.entries()) {
      const before = pieces[index - 1];
      if (before === undefined) continue;
      const end = match.index + piece.index;
      edits.push({ start: match.index + before.index + before[0].length, end, text: '' });
    }
    disguises.push({ kind: 'inner_marks', start: match.index, end: match.index + whole.length });
  }
  return { edits, disguises };
}
