import { describe, expect, it } from 'vitest';
import { summariseTechniques } from '../../../../../src/services/analysis/engines/techniques/summary.ts';

const finding = (code: string, ...confidences: number[]) => ({
  code,
  confidence: 0.5,
  spans: confidences.map((confidence) => ({ confidence })),
});

describe('summariseTechniques', () => {
  it('scores nothing found as 0', () => {
    expect(summariseTechniques([], 100)).toEqual({
      manipulation_score: 0,
      total_severity: 0,
      dimensions_affected: [],
      techniques_count: 0,
    });
  });

  it('follows the published formula', () => {
    // q = 0.8 and 0.75; sum = 3/3 * 0.8 + 5/3 * 0.75 = 2.05; two dimensions; 1000 words give sqrt(L) = 2.
    const summary = summariseTechniques(
      [finding('doubt', 0.8), finding('appeal_to_fear_prejudice', 0.5, 0.5)],
      1000,
    );
    expect(summary.manipulation_score).toBe(
      Math.round(100 * (1 - Math.exp((-0.45 * 2.05) / 2)) * 1.04 * 100) / 100,
    );
    expect(summary.total_severity).toBeCloseTo(3 * 0.8 + 5 * 0.75, 4);
    expect(summary.dimensions_affected).toEqual(['attack_on_reputation', 'justification']);
    expect(summary.techniques_count).toBe(3);
  });

  it('joins findings of one code from several engines and falls back on the confidence of the finding', () => {
    const together = summariseTechniques(
      [finding('doubt', 0.6), { code: 'doubt', confidence: 0.5, spans: [{}] }],
      100,
    );
    expect(together).toEqual(summariseTechniques([finding('doubt', 0.6, 0.5)], 100));
  });

  it('counts weights where passages have them, and no dimension without any', () => {
    const weighed = (code: string, confidence: number, weight: number) => ({
      code,
      confidence,
      spans: [{ confidence, weight }],
    });
    const counted = summariseTechniques([weighed('doubt', 0.2, 0.6)], 100);
    expect(counted).toEqual(summariseTechniques([finding('doubt', 0.6)], 100));
    const listed = summariseTechniques([weighed('doubt', 0.2, 0.6), weighed('loaded_language', 0.3, 0)], 100);
    expect(listed).toEqual({ ...counted, techniques_count: 2 });
  });

  it('never passes 100 and ignores length below 250 words', () => {
    const codes = [
      'doubt',
      'appeal_to_fear_prejudice',
      'straw_man',
      'false_dilemma_no_choice',
      'slogans',
      'loaded_language',
      'whataboutism',
      'guilt_by_association',
      'appeal_to_time',
    ];
    const findings = codes.map((code) => finding(code, 0.95, 0.95));
    expect(summariseTechniques(findings, 10).manipulation_score).toBe(100);
    expect(summariseTechniques([finding('doubt', 0.5)], 10)).toEqual(
      summariseTechniques([finding('doubt', 0.5)], 250),
    );
  });

  it('refuses a code that the taxonomy does not have', () => {
    expect(() => summariseTechniques([finding('sorcery', 0.5)], 10)).toThrow('Unknown technique');
  });
});
