import { describe, expect, it } from 'vitest';
import {
  formatDate,
  formatDateTime,
  formatDecimal,
  formatDuration,
  formatPercent,
  formatSigned,
} from '../../../../src/services/analysis/report/format.ts';

describe('numbers and dates', () => {
  it.each([
    [formatDecimal(1234.5, 1, 'en'), '1,234.5'],
    [formatDecimal(1234.5, 1, 'ro'), '1.234,5'],
    [formatDecimal(-0.001, 1, 'en'), '0.0'],
    [formatSigned(-3.25, 1, 'ro'), '−3,3'],
    [formatSigned(3.2, 2, 'en'), '+3.20'],
    [formatSigned(0, 1, 'en'), '+0.0'],
    [formatPercent(0.617, 'ro'), '62%'],
    [formatDuration(254, 'ro'), '254 ms'],
    [formatDuration(12_340, 'ro'), '12,3 s'],
    [formatDate('2026-05-01', 'en'), '1 May 2026'],
    [formatDate('2026-05-01', 'ro'), '1 mai 2026'],
    [formatDate('2019-07', 'ro'), 'iulie 2019'],
    [formatDate('2019-07', 'en'), 'July 2019'],
    [formatDate('2019', 'ro'), '2019'],
    [formatDate('spring', 'ro'), 'spring'],
    [formatDateTime('2026-05-01T22:30:00Z', 'en'), '1 May 2026, 22:30 UTC'],
    [formatDateTime('2026-05-01T22:30:00Z', 'ro'), '1 mai 2026, 22:30 UTC'],
    [formatDateTime('never', 'en'), 'never'],
  ])('%s is %s', (printed, expected) => expect(printed).toBe(expected));
});
