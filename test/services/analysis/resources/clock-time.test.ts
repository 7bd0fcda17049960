import { describe, expect, it } from 'vitest';
import { clockTime, timeFormatter } from '../../../../src/services/analysis/resources/clock-time.ts';

describe('times in a recording', () => {
  it.each([
    [0, '0:00'],
    [7.96, '0:07'],
    [187, '3:07'],
    [3600, '60:00'],
    [-1, '0:00'],
  ])('%d s are %s', (seconds, text) => expect(clockTime(seconds)).toBe(text));

  it.each([
    [59.9, 'en', 7.44, '0:07.4'],
    [2.9, 'ro', 0.19, '0:00,1'],
    [2.9, 'en', 2.96, '0:02.9'],
    [60, 'en', 7.44, '0:07'],
    [null, 'ro', 7.44, '0:07'],
  ] as const)('of a recording of %s s (%s) %d is %s', (length, language, seconds, text) =>
    expect(timeFormatter(length, language)(seconds)).toBe(text),
  );
});
