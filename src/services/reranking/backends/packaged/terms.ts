import { type Gloss, glossText, stemOf } from '../../../../text/encoder/gloss.ts';
import { fold, stripDiacritics } from '../../../../text/folding.ts';
import { wordsOf } from '../../../../text/words.ts';

/** Languages that are told apart. */
export type Language = 'en' | 'ro';

/** A word of a text. Two words are the same when they share a key: a stem in one language, or their English stem across both. */
export interface Term {
  readonly keys: readonly string[];
  /** As it stands, in lower case and without diacritics. */
  readonly folded: string;
}

/** Letters that a stem keeps at least. */
const SHORTEST_STEM = 3;
const DOUBLED = /([bdfgmnprt])\1$/;

/** An English word, folded, without its commonest endings; what is left need not be a word. */
export function englishStem(word: string): string {
  const plain = word.replace(/'s?$/, '');
  const singular = plain
    .replace(/(?<=..)ies$/, 'y')
    .replace(/(?<=ss|sh|ch|x|z)es$/, '')
    .replace(/(?<=[^sui'])s$/, '');
  const stem = singular.replace(/(?:ing|ed)$/, '');
  const kept = stem === singular || stem.length < SHORTEST_STEM ? singular : stem.replace(DOUBLED, '$1');
  return kept.length > SHORTEST_STEM ? kept.replace(/(?:e|y|i)$/, '') : kept;
}

/** The words of a text in their order; Romanian words that only bind others are left out. */
export function termsOf(gloss: Gloss, text: string, language: Language): Term[] {
  if (language === 'en')
    return foldedWords(text).map((word) => ({ keys: [englishStem(word)], folded: word }));
  return glossText(gloss, text).flatMap(({ start, end, english }): Term[] => {
    const original = text.slice(start, end);
    const words = foldedWords(original);
    // What the gloss does not know it leaves: names, numbers, loans, in any number.
    if (english === original)
      return words.map((word) => ({ keys: [englishStem(word), romanianKey(word)], folded: word }));
    if (english === '') return [];
    const keys = [...words.map(romanianKey), ...foldedWords(english).map(englishStem)];
    return [{ keys, folded: words.join(' ') }];
  });
}

/** Romanian stems stand apart: "care" is another word in English. */
const romanianKey = (word: string) => `ro ${stemOf(word)}`;

function foldedWords(text: string): string[] {
  return wordsOf(stripDiacritics(fold(text, 'strip').text)).map((word) => word.text);
}
