import { describe, expect, it } from 'vitest';
import { combineTraces, type Trace } from '../../../../../src/services/analysis/engines/ai-image/fusion.ts';

const trace = (group: string, value: number, more: Partial<Trace> = {}): Trace => ({
  group,
  part: 'manipulated',
  detector: group,
  weight: { value, low: value, high: value },
  atLeast: null,
  grade: 'B',
  ...more,
});

describe('the probability of a picture', () => {
  it.each<[string, readonly Trace[], number, string]>([
    ['rests on the priors alone', [], 19, 'D'],
    ['with one strong trace', [trace('copy_move', 3)], 72.15, 'B'],
    ['with two that agree', [trace('copy_move', 3), trace('double_quantisation', 3)], 98.0, 'B'],
    ['with a grid conflict', [trace('jpeg_grid', 2.5)], 61.8, 'B'],
    ['counts a family once', [trace('copy_move', 3), trace('copy_move', 2)], 72.15, 'B'],
    ['with an oddity of the file', [trace('file_history', 0.4, { grade: 'C' })], 22.8, 'C'],
    [
      'with a declaration',
      [trace('declaration', 0, { part: 'generated', atLeast: 0.93, grade: 'A' })],
      93.7,
      'A',
    ],
  ])('%s', (_name, traces, percent, grade) => {
    const fused = combineTraces(traces);
    expect(100 * fused.probability).toBeCloseTo(percent, 1);
    expect(fused.grade).toBe(grade);
    expect(fused.range[0]).toBeLessThanOrEqual(100 * fused.probability + 0.01);
    expect(fused.range[1]).toBeGreaterThanOrEqual(100 * fused.probability - 0.01);
  });

  it('has the range that the bounds of its traces make', () => {
    const { range } = combineTraces([
      trace('jpeg_grid', 2.5, { weight: { value: 2.5, low: 1.3, high: 2.5 } }),
    ]);
    expect(range[0]).toBeCloseTo(36.1, 1);
    expect(range[1]).toBeCloseTo(61.8, 1);
  });

  it('can be made again from what it keeps', () => {
    const {
      priors,
      groups,
      p_manipulated: stored,
    } = combineTraces([trace('copy_move', 3), trace('jpeg_grid', 2.5)]);
    const sum = groups.reduce((total, { value }) => total + value, 0);
    const odds = (priors.manipulated / (1 - priors.manipulated)) * Math.exp(sum);
    expect(odds / (1 + odds)).toBeCloseTo(stored, 4);
  });
});
