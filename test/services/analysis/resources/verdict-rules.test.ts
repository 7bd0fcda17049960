import { describe, expect, it } from 'vitest';
import shippedFile from '../../../../data/taxonomy/verdict.json' with { type: 'json' };
import { MEDIA_TYPES } from '../../../../src/services/analysis/resources/media-types.ts';
import {
  profileOf,
  rowAt,
  shippedVerdictRules,
  verdictRules,
} from '../../../../src/services/analysis/resources/verdict-rules.ts';

/** The numbers that a sentence states. */
const numbersIn = (sentence: string) =>
  [...sentence.matchAll(/\d+(?:\.\d+)?/g)].map(([digits]) => Number(digits));

describe('the shipped rules', () => {
  const conditions = new Map(shippedVerdictRules.overrides.map((row) => [row.code as string, row.condition]));
  const { check_worthy_from, detector_families, ...byRule } = shippedVerdictRules.thresholds;

  it.each(Object.entries(byRule))('state the numbers of %s in its sentence', (code, numbers) => {
    const stated = numbersIn(conditions.get(code) ?? '');
    for (const number of Object.values(numbers)) expect(stated).toContain(number);
  });

  it('count two detector families, as the sentences say', () => {
    expect([check_worthy_from, detector_families]).toEqual([0.5, 2]);
    expect(conditions.get('persuasion_only')).toContain('two detector families');
  });

  it('state the numbers of the moderation queue in its sentences', () => {
    const { risk_from, confidence_below } = shippedVerdictRules.enqueue_thresholds;
    const sentences = shippedFile.enqueue_rules.map((rule) => rule.when).join(' ');
    expect(sentences).toContain(`risk_score is at least ${risk_from}`);
    expect(sentences).toContain(`confidence is under ${confidence_below}`);
    expect(shippedFile.enqueue_note).toContain('virality_score is at least 75');
    expect(shippedVerdictRules.virality_levels.at(-1)?.min).toBe(75);
  });

  it.each(MEDIA_TYPES)('weigh %s by weights that sum to 1', (mediaType) => {
    const { weights } = profileOf(shippedVerdictRules, mediaType);
    const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
    expect(sum).toBeCloseTo(1, 9);
  });

  it('take the sentence of an override from the table of reasons', () => {
    expect(shippedVerdictRules.overrides[0]).toMatchObject({
      code: 'human_ground_truth',
      reason_en: 'A reviewer decided the result.',
      reason_ro: 'Un verificator a decis rezultatul.',
    });
  });

  it('read back as they are', () => {
    expect(verdictRules.parse(JSON.parse(JSON.stringify(shippedVerdictRules)))).toEqual(shippedVerdictRules);
  });
});

describe('rules are refused', () => {
  const { risk_bands, weight_profiles, overrides } = shippedVerdictRules;
  it.each<[string, object, RegExp]>([
    ['with bands that do not ascend', { risk_bands: [...risk_bands].reverse() }, /ascend/],
    ['without bands', { risk_bands: [] }, /Too small/],
    [
      'without a profile for a kind of content',
      { weight_profiles: weight_profiles.slice(1) },
      /one active profile/,
    ],
    [
      'with two active profiles for one kind of content',
      { weight_profiles: [...weight_profiles, ...weight_profiles] },
      /one active profile/,
    ],
    ['without one of the overrides', { overrides: overrides.slice(1) }, /one row for each of/],
    ['with an override twice', { overrides: [...overrides, overrides[0]] }, /one row for each of/],
    ['without a version', { version: '' }, /Too small/],
    [
      'with a colour that is none',
      { inconclusive: { ...shippedVerdictRules.inconclusive, color_hex: 'red}body{display:none' } },
      /must be a colour/,
    ],
  ])('%s', (_name, over, message) => {
    const result = verdictRules.safeParse({ ...shippedVerdictRules, ...over });
    expect(result.error?.message).toMatch(message);
  });
});

describe('rowAt', () => {
  const rows = [{ min: 0 }, { min: 20 }];
  it.each([
    [-1, 0],
    [0, 0],
    [19.9, 0],
    [20, 20],
    [99, 20],
  ])('%d belongs to the row from %d', (value, min) => expect(rowAt(rows, value).min).toBe(min));

  it('has no answer without rows', () => expect(() => rowAt([], 1)).toThrow('no rows'));
});
