import type { Vocabulary } from '../../../text/vocabulary.ts';

/** Letters of the longest word that is looked for. */
const LONGEST_WORD = 20;
/** Surprise of letters that are no known word, in nats: for the piece, and for each of its letters. */
const UNKNOWN = { piece: 12, letter: 3 };
/** Added for words of one and two letters, which fit anywhere. */
const SHORT: readonly number[] = [0, 6, 3];

function cost(vocabulary: Vocabulary, piece: string): number {
  const known = vocabulary.surprise(piece);
  if (known === undefined) return UNKNOWN.piece + UNKNOWN.letter * piece.length;
  return known + (SHORT[piece.length] ?? 0);
}

/** The likeliest words of a run of letters (Viterbi over single words). */
function split(vocabulary: Vocabulary, run: string): string[] {
  const best = new Float64Array(run.length + 1).fill(Number.POSITIVE_INFINITY);
  const from = new Uint32Array(run.length + 1);
  best[0] = 0;
  for (let start = 0; start < run.length; start++) {
    for (let end = start + 1; end <= Math.min(run.length, start + LONGEST_WORD); end++) {
      const total = (best[start] ?? 0) + cost(vocabulary, run.slice(start, end));
      if (total >= (best[end] ?? 0)) continue;
      best[end] = total;
      from[end] = start;
    }
  }
  const words: string[] = [];
  for (let end = run.length; end > 0; end = from[end] ?? 0) words.push(run.slice(from[end], end));
  return words.reverse();
}

/** The words that a label was probably made of: `milefreepress` is mile, free, press. Digits and hyphens part words. */
export function wordsOfLabel(vocabulary: Vocabulary, label: string): string[] {
  return label.split(/[^a-z]+/).flatMap((run) => split(vocabulary, run));
}
