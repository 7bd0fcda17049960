import { describe, expect, it } from 'vitest';
import { type BoostedTrees, scoreRow } from '../../src/text/boosted-trees.ts';
import { binRows, trainTrees } from '../../training/boosting.ts';

describe('boosted trees', () => {
  it('add up the leaves that a row reaches', () => {
    const model: BoostedTrees = {
      bias: 1,
      starts: [0, 3],
      features: [0, -1, -1, -1],
      thresholds: [0.5, 10, 20, 100],
      lefts: [1, 0, 0, 0],
      rights: [2, 0, 0, 0],
    };
    expect([scoreRow(model, [0.5]), scoreRow(model, [0.6])]).toEqual([111, 121]);
  });

  it('learn what no single feature tells', () => {
    const rows = Array.from({ length: 800 }, (_, at) =>
      Float32Array.from([at % 2, Math.floor(at / 2) % 2, at % 7]),
    );
    const targets = Float32Array.from(rows, ([a, b]) => (a === b ? 1 : 0));
    const options = {
      trees: 30,
      leaves: 4,
      rate: 0.3,
      leastHessian: 1,
      l2: 1,
      rowShare: 0.9,
      columnShare: 1,
      seed: 1,
    };
    const model = trainTrees(binRows(rows), targets, new Float32Array(rows.length).fill(1), options);
    const wrong = rows.filter((row, at) => scoreRow(model, row) > 0 !== (targets[at] === 1));
    expect(wrong).toHaveLength(0);
  });
});
