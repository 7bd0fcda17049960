import { describe, expect, it } from 'vitest';
import { readGloss } from '../../../src/text/encoder/gloss.ts';
import { type ClassTable, glossedClasses, NARROW_CLASSES } from '../../../src/text/entities/word-classes.ts';
import { hashText } from '../../../src/text/features.ts';

const gloss = readGloss('word\tpisica\tcat\nword\tcainele\tdog');
const rows = [
  { word: 'cat', narrow: 2 * NARROW_CLASSES + 5 },
  { word: 'dog', narrow: 2 * NARROW_CLASSES + 6 },
]
  .map(({ word, narrow }) => ({ hash: hashText(word) >>> 0, narrow }))
  .sort((one, other) => one.hash - other.hash);
const table: ClassTable = {
  hashes: Uint32Array.from(rows, ({ hash }) => hash),
  classes: Uint32Array.from(rows, ({ narrow }) => narrow),
};

describe('classes of words', () => {
  const classOf = glossedClasses(table, gloss);

  it('are those of the English word, whatever diacritics and capitals stand there', () => {
    expect(classOf('Pisică')).toEqual({ broad: 2, narrow: 2 * NARROW_CLASSES + 5 });
    expect(classOf('câinele')?.broad).toBe(2);
  });

  it('are none of words that the gloss does not know, and of marks and numbers', () => {
    for (const word of ['xyzzyx', ',', '12', '']) expect(classOf(word)).toBeUndefined();
  });

  it('are refused where lists differ in size', () => {
    expect(() => glossedClasses({ ...table, classes: new Uint32Array(1) }, gloss)).toThrow(/damaged/);
  });
});
