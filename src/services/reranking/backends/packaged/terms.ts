import { type Gloss, glossText, stemOf } from '../../../../text/encoder/gloss.ts';
import { fold, stripDiacritics } from '../../../../text/folding.ts';
import { wordsOf } from '../../../../text/words.ts';

/** The languages that the reranker reads. */
export type Language = 'en' | 'ro';

/** A word with its comparison keys. Two words match when they share a key: a stem of one language, or an English stem across both. */
export interface RerankTerm {
  readonly keys: readonly string[];
  /** The word in lower case, without diacritics. */
  readonly folded: string;
}

/** Letters that a stem keeps at least. */
const SHORTEST_STEM = 3;
const DOUBLED = /([bdfgmnprt])\1$/;

/** A light stem of a folded English word: plural, -ing, -ed and final vowels removed. Coarser than Porter's (`text/statement/stems.ts`). */
export function lightEnglishStem(word: string): string {
  const plain = word.replace(/'s?$/, '');
  const singular = plain
    .replace(/(?<=..)ies$/, 'y')
    .replace(/(?<=ss|sh|ch|x|z)es$/, '')
    .replace(/(?<=[^sui'])s$/, '');
  const stem = singular.replace(/(?:ing|ed)$/, '');
  const kept = stem === singular || stem.length < SHORTEST_STEM ? singular : stem.replace(DOUBLED, '$1');
  return kept.length > SHORTEST_STEM ? kept.replace(/(?:e|y|i)$/, '') : kept;
}

/** The words of a text in order, without Romanian function words. */
export function rerankTermsOf(gloss: Gloss, text: string, language: Language): RerankTerm[] {
  if (language === 'en')
    return foldedWords(text).map((word) => ({ keys: [lightEnglishStem(word)], folded: word }));
  return glossText(gloss, text).flatMap(({ start, end, english }): RerankTerm[] => {
    const original = text.slice(start, end);
    const words = foldedWords(original);
    // Words that the gloss lacks stay as they are: names, numbers, loan words.
    if (english === original)
      return words.map((word) => ({ keys: [lightEnglishStem(word), romanianKey(word)], folded: word }));
    if (english === '') return [];
    const keys = [...words.map(romanianKey), ...foldedWords(english).map(lightEnglishStem)];
    return [{ keys, folded: words.join(' ') }];
  });
}

/** Romanian stems get a prefix, since some equal unrelated English ones, such as "care". */
const romanianKey = (word: string) => `ro ${stemOf(word)}`;

function foldedWords(text: string): string[] {
  return wordsOf(stripDiacritics(fold(text, 'strip').text)).map((word) => word.text);
}
