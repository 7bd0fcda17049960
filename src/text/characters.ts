/** What a UTF-16 unit is to the tokenizers. Halves of surrogate pairs are `other`. */
export const CHARACTER_KINDS = { other: 1, letter: 2, digit: 3, mark: 4, space: 5 } as const;
export type CharacterKind = (typeof CHARACTER_KINDS)[keyof typeof CHARACTER_KINDS];

const kinds = new Uint8Array(0x10000);
const classes: readonly [RegExp, CharacterKind][] = [
  [/\p{L}/u, CHARACTER_KINDS.letter],
  [/\p{N}/u, CHARACTER_KINDS.digit],
  [/\p{M}/u, CHARACTER_KINDS.mark],
  [/\s/u, CHARACTER_KINDS.space],
];

/** Kind of a UTF-16 unit; each unit is classified once by the Unicode tables and then remembered. */
export function characterKind(unit: number): CharacterKind {
  const known = kinds[unit];
  if (known) return known as CharacterKind;
  const character = String.fromCharCode(unit);
  const kind = classes.find(([pattern]) => pattern.test(character))?.[1] ?? CHARACTER_KINDS.other;
  kinds[unit] = kind;
  return kind;
}

/** True for letters and their combining marks. */
export function isLetter(unit: number): boolean {
  const kind = characterKind(unit);
  return kind === CHARACTER_KINDS.letter || kind === CHARACTER_KINDS.mark;
}

/** True for decimal digits and other number signs. */
export function isDigit(unit: number): boolean {
  return characterKind(unit) === CHARACTER_KINDS.digit;
}

/** True for white space, line ends and the no-break space. */
export function isSpace(unit: number): boolean {
  return characterKind(unit) === CHARACTER_KINDS.space;
}

/** True for a letter that has a different lower-case form. */
export function isUpperCase(unit: number): boolean {
  if (unit < 128) return unit >= 65 && unit <= 90;
  const character = String.fromCharCode(unit);
  return isLetter(unit) && character !== character.toLowerCase();
}

/** True for a letter that has a different upper-case form. */
export function isLowerCase(unit: number): boolean {
  if (unit < 128) return unit >= 97 && unit <= 122;
  const character = String.fromCharCode(unit);
  return isLetter(unit) && character !== character.toUpperCase();
}
