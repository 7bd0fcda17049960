import { foldGlossWord, type Gloss, glossWord } from '../encoder/gloss.ts';
import { hashText } from '../features.ts';
import { sortedIndexOf } from '../sorted-index.ts';

/** Which words mean like things: a broad class and a narrow one within it. */
export interface WordClass {
  readonly broad: number;
  readonly narrow: number;
}

/** The class of a word; undefined for one that is not known. */
export type ClassOf = (word: string) => WordClass | undefined;

/** Classes of English words: their hashes in ascending order, and the narrow class of each. */
export interface ClassTable {
  readonly hashes: Uint32Array;
  readonly classes: Uint32Array;
}

/** Narrow classes within a broad one. */
export const NARROW_CLASSES = 16;

/** Classes of Romanian words, by the English word that the gloss puts in their place. */
export function glossedClasses({ hashes, classes }: ClassTable, gloss: Gloss): ClassOf {
  if (hashes.length !== classes.length) throw new Error('The table of word classes is damaged.');
  return (word) => {
    if (!/^\p{L}/u.test(word)) return undefined;
    const english = glossWord(gloss, foldGlossWord(word));
    const place = english === undefined ? -1 : sortedIndexOf(hashes, hashText(english) >>> 0);
    const narrow = classes[place];
    return narrow === undefined ? undefined : { broad: Math.floor(narrow / NARROW_CLASSES), narrow };
  };
}
