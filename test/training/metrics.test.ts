import { describe, expect, it } from 'vitest';
import { calibrationError, calibrationErrorIfRight } from '../../training/metrics.ts';

const rowsAt = (score: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ score, truth: at % 2 === 0, group: String(at) }));

describe('the calibration error that chance alone gives', () => {
  it('is nothing where every row is certain', () => {
    expect(calibrationErrorIfRight([...rowsAt(0, 10), ...rowsAt(1, 10)])).toBe(0);
  });

  it('falls with the root of the number of rows', () => {
    const few = calibrationErrorIfRight(rowsAt(0.5, 25));
    const many = calibrationErrorIfRight(rowsAt(0.5, 2500));
    // Mean distance of a share from its chance: about 0.4 over the root of the number of rows.
    expect(few).toBeCloseTo(0.08, 1);
    expect(few / many).toBeGreaterThan(7);
    expect(few / many).toBeLessThan(14);
  });

  it('does not depend on what came true', () => {
    const rows = rowsAt(0.3, 60);
    const opposite = rows.map((row) => ({ ...row, truth: !row.truth }));
    expect(calibrationErrorIfRight(rows)).toBe(calibrationErrorIfRight(opposite));
    expect(calibrationError(rows)).toBeCloseTo(0.2);
  });
});
