import { describe, expect, it } from 'vitest';
import { readHierarchy } from '../../../src/text/statement/hierarchy.ts';

const { meanings, above } = readHierarchy(
  ['# a remark', 'entity\t', 'work\t0', 'film movie\t1', 'comedy play:2\t2', 'play game\t0', ''].join('\n'),
);

describe('the hierarchy of meanings', () => {
  it('counts the lines of meanings from 0, remarks apart', () => {
    expect(meanings('movi')).toEqual(meanings('film'));
    expect(meanings('film')).toEqual([2]);
    expect(meanings('nowhere')).toEqual([]);
  });

  it('names the first meaning of a word first', () => {
    expect(meanings('plai')).toEqual([4, 3]);
  });

  it('leads up to the most general meaning by steps', () => {
    expect([...above(3)]).toEqual([
      [3, 0],
      [2, 1],
      [1, 2],
      [0, 3],
    ]);
  });

  it('ends where meanings are above each other', () => {
    const turning = readHierarchy('one\t1\ntwo\t0\n');
    expect([...turning.above(0).keys()].sort()).toEqual([0, 1]);
  });
});
