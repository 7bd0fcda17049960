import { describe, expect, it } from 'vitest';
import {
  day,
  decimal,
  duration,
  moment,
  percent,
  signed,
} from '../../../../src/services/analysis/report/format.ts';

describe('numbers and dates', () => {
  it.each([
    [decimal(1234.5, 1, 'en'), '1,234.5'],
    [decimal(1234.5, 1, 'ro'), '1.234,5'],
    [decimal(-0.001, 1, 'en'), '0.0'],
    [signed(-3.25, 1, 'ro'), '−3,3'],
    [signed(3.2, 2, 'en'), '+3.20'],
    [signed(0, 1, 'en'), '+0.0'],
    [percent(0.617, 'ro'), '62%'],
    [duration(254, 'ro'), '254 ms'],
    [duration(12_340, 'ro'), '12,3 s'],
    [day('2026-05-01', 'en'), '1 May 2026'],
    [day('2026-05-01', 'ro'), '1 mai 2026'],
    [day('2019-07', 'ro'), 'iulie 2019'],
    [day('2019-07', 'en'), 'July 2019'],
    [day('2019', 'ro'), '2019'],
    [day('spring', 'ro'), 'spring'],
    [moment('2026-05-01T22:30:00Z', 'en'), '1 May 2026, 22:30 UTC'],
    [moment('2026-05-01T22:30:00Z', 'ro'), '1 mai 2026, 22:30 UTC'],
    [moment('never', 'en'), 'never'],
  ])('%s is %s', (printed, expected) => expect(printed).toBe(expected));
});
