import { describe, expect, it } from 'vitest';
import { inWords, judgeGrowth, judgeLevel, type Series } from './judge.ts';

const LOOKS = 90;
const series = (valueAt: (index: number) => number): Series =>
  Array.from({ length: LOOKS }, (_, index) => ({ at: index * 10, value: valueAt(index) }));
/** Up and down by so much, the same each time. */
const noise = (index: number, size: number) => (((index * 7919) % 100) / 50 - 1) * size;

describe('a quantity levels off', () => {
  it.each<[string, (index: number) => number, boolean]>([
    ['when it stays', () => 400, true],
    ['when it is noisy and stays', (index) => 400 + noise(index, 60), true],
    ['when it grows at first, and stays', (index) => Math.min(400, 100 + 20 * index), true],
    ['when it falls', (index) => 400 - index, true],
    ['not when it grows steadily', (index) => 400 + 3 * index, false],
    ['not when it grows steadily and is noisy', (index) => 400 + 3 * index + noise(index, 60), false],
    ['not when it grows in steps', (index) => 400 + 100 * Math.floor(index / 25), false],
    ['not when it begins to grow late', (index) => 400 + Math.max(0, index - 45) * 4, false],
  ])('%s', (_name, valueAt, level) => {
    expect(judgeLevel(series(valueAt), 0.1).level).toBe(level);
  });

  it('or nobody can tell yet', () => {
    for (const length of [1, 2, 20]) {
      const short = series(() => 7).slice(0, length);
      for (const judged of [judgeLevel(short, 0.1), judgeGrowth(short, 3)]) {
        expect(judged).toEqual({ level: null, middle: null, last: 7, slope: 0 });
        expect(inWords(judged, (value) => `${value} MiB`)).toBe(
          '7 MiB (too short to tell whether it levels off)',
        );
      }
    }
    expect(
      inWords(
        judgeLevel(
          series(() => 7),
          0.1,
        ),
        String,
      ),
    ).toBe('7 -> 7');
  });
});

describe('a quantity that is kept grows by a bounded amount for each', () => {
  it.each<[string, (index: number) => number, boolean]>([
    ['when it grows by less', (index) => 5000 + 20 * index + noise(index, 30), true],
    ['not when it grows by more', (index) => 5000 + 50 * index + noise(index, 30), false],
    ['whatever it began with', (index) => (index < 20 ? 100 * index : 2000 + 10 * index), true],
  ])('%s', (_name, valueAt, level) => {
    expect(judgeGrowth(series(valueAt), 3).level).toBe(level);
  });

  it('and tells by how much', () => {
    expect(
      judgeGrowth(
        series((index) => 20 * index),
        3,
      ).slope,
    ).toBeCloseTo(2);
  });
});
