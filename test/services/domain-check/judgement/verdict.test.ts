import { expect, test } from 'vitest';
import verdictTable from '../../../../data/taxonomy/verdict.json' with { type: 'json' };
import { riskLevelOf } from '../../../../src/services/domain-check/judgement/verdict.ts';

test.each([
  [100, 'minimal'],
  [80.1, 'minimal'],
  [80, 'low'],
  [60.1, 'low'],
  [60, 'moderate'],
  [40.1, 'moderate'],
  [40, 'high'],
  [20.1, 'high'],
  [20, 'critical'],
  [0, 'critical'],
] as const)('a score of %d is the risk band of %s', (score, level) => {
  expect(riskLevelOf('mixed', score)).toBe(level);
  const risk = Math.round((100 - score) * 10) / 10;
  expect(verdictTable.risk_bands.findLast((band) => band.min <= risk)?.risk_level).toBe(level);
});

test('no score has no level', () => {
  expect(riskLevelOf('unknown', null)).toBe('unknown');
});
