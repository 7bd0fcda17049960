import { stripDiacritics } from '../../../text/folding.ts';
import { sentencesOf } from '../../../text/sentences.ts';
import { countNegations } from '../../../text/statement/cues.ts';
import { termsOf } from '../../../text/terms.ts';
import { wordsOf } from '../../../text/words.ts';

/** A sentence that has fewer of the terms of another tells something else. */
const COUNTERPART_SHARE = 0.5;

/** Denials of a text in either language: a page may quote the other one. */
function denialsOf(text: string): number {
  const words = wordsOf(text).map(({ text: word }) =>
    stripDiacritics(word.toLowerCase()).replace(/[^\p{L}\p{N}]/gu, ''),
  );
  return Math.max(countNegations(words, 'en'), countNegations(words, 'ro'));
}

const numbersOf = (terms: readonly string[]) =>
  [...new Set(terms.filter((term) => /^\d/.test(term)))].sort().join(' ');

/**
 * Whether the text says otherwise what a passage of its copy says, or lacks its numbers and denials: a correction, or a copy that was tampered with, shares
 * most of the words and not the point. Another order of words or a synonym is no difference; a number or a denial is.
 */
export function isAltered(passage: string, text: string): boolean {
  const terms = termsOf(passage);
  if (terms.length === 0 || ` ${termsOf(text).join(' ')} `.includes(` ${terms.join(' ')} `)) return false;
  return sentencesOf(passage).some((sentence) => isSentenceAltered(sentence.text, text));
}

function isSentenceAltered(told: string, text: string): boolean {
  const terms = new Set(termsOf(told));
  if (terms.size === 0) return false;
  const shared = (other: string) => new Set(termsOf(other).filter((term) => terms.has(term))).size;
  let [nearest, most] = ['', 0];
  for (const { text: sentence } of sentencesOf(text)) {
    const count = shared(sentence);
    if (count > most) [nearest, most] = [sentence, count];
  }
  const counterpart = most < COUNTERPART_SHARE * terms.size ? '' : nearest;
  return (
    numbersOf([...terms]) !== numbersOf(termsOf(counterpart)) || denialsOf(told) !== denialsOf(counterpart)
  );
}
