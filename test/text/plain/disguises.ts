/** Words of four letters and more, which any of the disguises fits. */
const word = /(?<![\p{L}\p{N}\p{M}@#/.'’-])\p{L}{4,}(?![\p{L}\p{N}\p{M}@#/'’-]|\.\p{L})/gu;

const between = (hidden: string) => (text: string) => text.replace(/(?<=\p{L})(?=\p{L})/gu, hidden);
const inWords = (change: (word: string) => string) => (text: string) => text.replace(word, change);
const middle = (mark: string) => inWords((word) => `${word.slice(0, 2)}${mark}${word.slice(2)}`);

/** Ways to write a text so that people read it and programs do not. */
export const disguises: Readonly<Record<string, (text: string) => string>> = {
  'with zero-width spaces between all letters': between('\u200b'),
  'with U+061C between all letters': between('\u061c'),
  'with U+180E in all words': middle('\u180e'),
  'with U+2066 between all letters': between('\u2066'),
  'with tags between all letters': between('\u{e0041}'),
  'with variation selectors between all letters': between('\u{e0100}'),
  'with musical marks in all words': middle('\u{1d173}'),
  'with annotation marks in all words': middle('\ufffa'),
  'with shorthand marks in all words': middle('\u{1bca0}'),
  'with fillers of Hangul in all words': middle('\u3164'),
  'with blanks of Braille in all words': middle('\u2800'),
  'with empty tags in all words': middle('<i></i>'),
  'with comments in all words': middle('<!-- -->'),
  'with invisible entities in all words': middle('&#x2063;'),
  'with entities for letters': inWords((word) =>
    [...word]
      .map((letter, index) => (index === 1 && letter < '\u0080' ? `&#${letter.codePointAt(0)};` : letter))
      .join(''),
  ),
};

const DIGITS: Readonly<Record<string, string>> = { o: '0', i: '1', e: '3', a: '4', s: '5', t: '7' };
const digits = (word: string) => word.replace(/[oieast]/g, (letter) => DIGITS[letter] ?? letter);

/** Ways to spell words so that people read them and programs do not; only known words can be read again. */
export const respellings: Readonly<Record<string, (text: string) => string>> = {
  'with a space after each letter': inWords((word) => [...word].join(' ')),
  'with a dash after each letter': inWords((word) => [...word].join('-')),
  // Four letters and capitals with dots are abbreviations.
  'with a dot after each letter': inWords((word) => (word.length > 5 ? [...word].join('.') : word)),
  'with a dot inside': middle('.'),
  'with an asterisk inside': middle('*'),
  'with digits for letters': inWords(
    (word) => `${word.charAt(0)}${digits(word.slice(1, -1))}${word.slice(-1)}`,
  ),
};
