import { describe, expect, it } from 'vitest';
import {
  bandOf,
  bandWithHysteresis,
  confidenceLevelOf,
  distanceToEdge,
  viralityLevelOf,
} from '../../../../../src/services/analysis/pipeline/verdict/bands.ts';
import { shippedVerdictRules as rules } from '../../../../../src/services/analysis/resources/verdict-rules.ts';

describe('bands', () => {
  it.each([
    [0, 'no_significant_risk'],
    [19.9, 'no_significant_risk'],
    [20, 'minor_concerns'],
    [39.9, 'minor_concerns'],
    [40, 'questionable'],
    [59.9, 'questionable'],
    [60, 'likely_misleading'],
    [80, 'highly_misleading'],
    [100, 'highly_misleading'],
  ])('%d is %s', (score, category) => expect(bandOf(rules, score).risk_category).toBe(category));

  it.each([
    [41.9, 'minor_concerns', 'minor_concerns'],
    [42, 'minor_concerns', 'minor_concerns'],
    [42.1, 'minor_concerns', 'questionable'],
    [18, 'minor_concerns', 'minor_concerns'],
    [17.9, 'minor_concerns', 'no_significant_risk'],
    [100, 'highly_misleading', 'highly_misleading'],
    [45, 'inconclusive', 'questionable'],
    [45, undefined, 'questionable'],
  ])('on a re-run %d after %s is %s', (score, previous, category) =>
    expect(bandWithHysteresis(rules, score, previous).risk_category).toBe(category),
  );

  it.each([
    [0, 'very_low'],
    [0.1999, 'very_low'],
    [0.2, 'low'],
    [0.45, 'medium'],
    [0.7, 'high'],
    [0.9, 'very_high'],
    [1, 'very_high'],
  ])('confidence %d is %s', (value, level) => expect(confidenceLevelOf(rules, value)).toBe(level));

  it.each([
    [0, 'low'],
    [54.9, 'moderate'],
    [55, 'high'],
    [75, 'very_high'],
  ])('virality %d is %s', (value, level) => expect(viralityLevelOf(rules, value)).toBe(level));

  it('measures the way to the nearest edge', () => {
    expect(distanceToEdge(rules, 0)).toBe(20);
    expect(distanceToEdge(rules, 57)).toBe(3);
    expect(distanceToEdge(rules, 80)).toBe(0);
    expect(distanceToEdge(rules, 100)).toBe(20);
  });
});
