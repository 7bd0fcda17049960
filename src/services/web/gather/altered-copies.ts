import { stripDiacritics } from '../../../text/folding.ts';
import { sentencesOf } from '../../../text/sentences.ts';
import { countNegations } from '../../../text/statement/cues.ts';
import { termsOf } from '../../../text/terms.ts';
import { wordsOf } from '../../../text/words.ts';

/** Least share of its terms that the counterpart of a sentence has in the other text. */
const COUNTERPART_SHARE = 0.5;

/** Counts negations by the words of both languages and takes the higher count, since a page may quote the other one. */
function denialsOf(text: string): number {
  const words = wordsOf(text).map(({ text: word }) =>
    stripDiacritics(word.toLowerCase()).replace(/[^\p{L}\p{N}]/gu, ''),
  );
  return Math.max(countNegations(words, 'en'), countNegations(words, 'ro'));
}

const numbersOf = (terms: readonly string[]) =>
  [...new Set(terms.filter((term) => /^\d/.test(term)))].sort().join(' ');

/**
 * Whether a text differs from a passage of its copy in numbers or negations, as corrections and manipulated copies do, which share most of the
 * words. Another order of words or a synonym is no difference.
 */
export function isAltered(passage: string, text: string): boolean {
  const terms = termsOf(passage);
  if (terms.length === 0 || ` ${termsOf(text).join(' ')} `.includes(` ${terms.join(' ')} `)) return false;
  return sentencesOf(passage).some((sentence) => isSentenceAltered(sentence.text, text));
}

function isSentenceAltered(original: string, text: string): boolean {
  const terms = new Set(termsOf(original));
  if (terms.size === 0) return false;
  const shared = (other: string) => new Set(termsOf(other).filter((term) => terms.has(term))).size;
  let [nearest, most] = ['', 0];
  for (const { text: sentence } of sentencesOf(text)) {
    const count = shared(sentence);
    if (count > most) [nearest, most] = [sentence, count];
  }
  const counterpart = most < COUNTERPART_SHARE * terms.size ? '' : nearest;
  return (
    numbersOf([...terms]) !== numbersOf(termsOf(counterpart)) ||
    denialsOf(original) !== denialsOf(counterpart)
  );
}
