/**
 * Characters that show nothing, as the inside of a character class: Unicode's Default_Ignorable_Code_Point (joiners,
 * direction marks, variation selectors, tags, fillers), the marks around ruby text, control characters that are neither
 * white space nor a sign of Windows-1252, and U+2800, which shows a blank.
 */
export const IGNORABLE =
  '\\p{Default_Ignorable_Code_Point}\\u{FFF9}-\\u{FFFB}\\u{2800}\\u{1}-\\u{8}\\u{E}-\\u{1B}\\u{7F}\\u{81}\\u{8D}\\u{8F}\\u{90}\\u{9D}';

/** Of these, the ones that are as wide as a letter: a reader sees a blank. */
export const WIDE_BLANK = '\\u{115F}\\u{1160}\\u{2800}\\u{3164}\\u{FFA0}';

const one = new RegExp(`^[${IGNORABLE}]$`, 'u');

/** Whether a code point shows nothing. */
export function isIgnorable(codePoint: number): boolean {
  return one.test(String.fromCodePoint(codePoint));
}
