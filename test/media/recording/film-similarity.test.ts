import { describe, expect, it } from 'vitest';
import type { FrameHash } from '../../../src/media/recording/film-hashes.ts';
import { momentsToLookUp, momentsToStore } from '../../../src/media/recording/film-moments.ts';
import { compareFilms, isNearCopy } from '../../../src/media/recording/film-similarity.ts';

/** A hash of its own for each number: sixteen digits, repeated, of a multiplication that spreads them. */
const hashOf = (number: number) =>
  ((BigInt(number + 1) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn).toString(16).padStart(16, '0').repeat(4);
/** A hash that differs from another in so many bits, others for each seed. */
function changed(hash: string, bits: number, seed = 0): string {
  const digits = [...hash];
  for (let bit = 0; bit < bits; bit += 1) {
    const place = (seed * 31 + bit * 67) % 256;
    const at = place >> 2;
    digits[at] = (Number.parseInt(digits[at] ?? '0', 16) ^ (1 << (place & 3))).toString(16);
  }
  return digits.join('');
}
const filmOf = (numbers: readonly number[], quality = 100): FrameHash[] =>
  numbers.map((number, second) => ({ timeSec: second, hash: hashOf(number), quality }));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const areCopies = (first: FrameHash[], second: FrameHash[]) => {
  const likeness = compareFilms(first, second);
  return likeness !== undefined && isNearCopy(likeness);
};
/** One speaker before one wall: each quarter of a second differs a little from all others. */
const speaker = (seed: number, quarters = 60, noise = 0): FrameHash[] =>
  range(0, quarters).map((quarter) => ({
    timeSec: quarter / 4,
    hash: changed(changed(hashOf(1), 12, seed * 1_000 + quarter), noise, 7 * quarter + 3),
    quality: 100,
  }));

describe('the likeness of two films', () => {
  it('is found at its offset, with its share of both', () => {
    const first = filmOf(range(0, 20));
    const second = filmOf([...range(100, 103), ...range(5, 12)]);
    expect(compareFilms(first, second)).toEqual({
      offsetSec: -2,
      matching: 7,
      shareOfFirst: 0.35,
      shareOfSecond: 0.7,
      stretches: [{ startSec: 5, endSec: 12 }],
      differingBits: 0,
      scenes: 7,
      ownBits: null,
    });
    expect(compareFilms(second, first)?.offsetSec).toBe(2);
  });

  it('lets up to 31 bits differ', () => {
    const filmWith = (bits: number): FrameHash[] => [
      { timeSec: 0, hash: changed(hashOf(1), bits), quality: 100 },
    ];
    expect(compareFilms(filmOf([1]), filmWith(31))?.matching).toBe(1);
    expect(compareFilms(filmOf([1]), filmWith(32))).toBeUndefined();
  });

  it('takes nothing from hashes that say little, nor from films that share nothing', () => {
    expect(compareFilms(filmOf(range(0, 5), 49), filmOf(range(0, 5)))).toBeUndefined();
    expect(compareFilms(filmOf(range(0, 5)), filmOf(range(50, 55)))).toBeUndefined();
    expect(compareFilms([], [])).toBeUndefined();
  });

  it('counts a second once however many frames of a still picture agree with it', () => {
    const still = filmOf([7, 7, 7, 7, 7]);
    expect(compareFilms(still, still)).toMatchObject({ offsetSec: 0, matching: 5, shareOfSecond: 1 });
    expect(areCopies(still, still)).toBe(true);
  });

  it('joins quarters that lie beside each other', () => {
    const second = filmOf(range(0, 8)).map((frame, at) => ({
      ...frame,
      timeSec: frame.timeSec + 0.1 + 0.1 * (at % 2),
    }));
    expect(compareFilms(filmOf(range(0, 8)), second)?.matching).toBe(8);
  });
});

describe('a near copy', () => {
  it('shares a third of a film, or nearly all of a short one', () => {
    const film = filmOf(range(0, 30));
    expect(areCopies(filmOf([...range(100, 120), ...range(0, 10)]), film)).toBe(true);
    // An opening that two programmes share.
    expect(areCopies(filmOf([...range(0, 6), ...range(100, 124)]), film)).toBe(false);
    expect(areCopies(filmOf([4, 5]), film)).toBe(true);
    expect(areCopies(filmOf([4, 200, 201]), film)).toBe(false);
  });

  it('of one speaker shows the same moments, not another speech before the same wall', () => {
    expect(areCopies(speaker(1, 60, 6), speaker(1))).toBe(true);
    expect(areCopies(speaker(1, 60, 6).slice(22), speaker(1))).toBe(true);
    expect(areCopies(speaker(2), speaker(1))).toBe(false);
  });

  it('is looked for by all its moments and found by one of each second', () => {
    const film = speaker(3, 20).map((frame, at) => (at < 8 ? { ...frame, hash: hashOf(9) } : frame));
    expect(momentsToStore(film).map(({ timeSec }) => timeSec)).toEqual([0, 2, 3, 4]);
    expect(momentsToLookUp(film)).toHaveLength(13);
    expect(momentsToStore(filmOf(range(0, 5), 49))).toEqual([]);
  });
});
