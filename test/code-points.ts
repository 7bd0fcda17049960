import fc from 'fast-check';

const LAST = 0x10ffff;
const isSurrogate = (point: number) => point >= 0xd800 && point <= 0xdfff;

/**
 * Any letter, mark or control character, for `fc.string({ unit: codePoint })`. The unit `binary` of fast-check is the same, but
 * works out a table of a million entries for each string that is declared with it.
 */
export const codePoint: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: LAST })
  .map((point) => String.fromCodePoint(isSurrogate(point) ? point - 0xd800 : point));
