import { describe, expect, it } from 'vitest';
import type { Features } from '../../../src/text/features.ts';
import { rawMargins } from '../../../training/logistic.ts';
import { logRatios, trainRatioMachines } from '../../../training/texts/ratios.ts';

const BITS = 3;
const row = (...indices: number[]): Features => ({
  indices: Uint32Array.from(indices),
  values: new Float32Array(indices.length).fill(indices.length ** -0.5),
});
/** Bucket 1 stands with the first label, 2 with the second, 5 with both. */
const rows = [row(1, 5), row(1, 5), row(1, 6), row(2, 5), row(2, 5), row(2, 7)];
const isFirst = (index: number) => index < 3;

describe('the log ratios of features', () => {
  it('are above 0 with a label, below it with others, and 0 for what stands as often with both', () => {
    const ratios = logRatios(rows, isFirst, { bits: BITS, prior: 1 });
    expect(ratios[1]).toBeCloseTo(Math.log(4));
    expect(ratios[2]).toBeCloseTo(-Math.log(4));
    expect(ratios[5]).toBeCloseTo(0);
    expect(ratios[3]).toBeCloseTo(0);
  });

  it('count shares, so that a label with more rows has no advantage', () => {
    const many = [...rows, ...rows.slice(3), ...rows.slice(3)];
    const ratios = logRatios(many, isFirst, { bits: BITS, prior: 1e-6 });
    expect(ratios[5]).toBeCloseTo(0, 4);
  });
});

describe('machines over ratios', () => {
  it('tell labels apart by what was learned, the same way each time', () => {
    const examples = rows.map((features, index) => ({
      features,
      targets: Float32Array.from(isFirst(index) ? [1, 0] : [0, 1]),
      weight: 1,
    }));
    const train = () =>
      trainRatioMachines(examples, { labels: 2, bits: BITS }, { prior: 0.3, cost: 3, rounds: 8, seed: 3 });
    const trained = train();
    const [first = 0, second = 0] = rawMargins(trained, row(1, 7), 2);
    expect(first).toBeGreaterThan(0);
    expect(second).toBeLessThan(0);
    const [other = 0, own = 0] = rawMargins(trained, row(2, 6), 2);
    expect(own).toBeGreaterThan(other);
    expect(train()).toEqual(trained);
  });
});
