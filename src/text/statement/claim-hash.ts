import { createHash } from 'node:crypto';
import { fold } from '../folding.ts';
import { wordsOf } from '../words.ts';

/** SHA-256 of the words of a text in order, folded; a question is not its statement, nor is -5 five. */
export function claimHash(text: string): string {
  const plain = fold(text, 'strip').text;
  const words = wordsOf(plain).map((word) => {
    const before = plain.slice(Math.max(0, word.start - 2), word.start);
    const isNegative = /(?:^|\s)-$/.test(before) && /^\d/.test(word.text);
    const after = plain[word.end] === '%' ? '%' : '';
    return `${isNegative ? '-' : ''}${word.text}${after}`;
  });
  return createHash('sha256').update(words.join(' ')).digest('hex');
}
