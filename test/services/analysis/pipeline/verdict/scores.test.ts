import { describe, expect, it } from 'vitest';
import { independentSources } from '../../../../../src/services/analysis/pipeline/verdict/scores.ts';
import { claim, evidence } from '../blocks.ts';

describe('independent sources', () => {
  it('counts a group, a site and a confirmed earlier check once each', () => {
    const group = { independent_group: 'agency-1' };
    const found = claim('verified_false', 0, {
      evidence: [
        { ...evidence('a.example', 'refutes'), ...group },
        { ...evidence('b.example', 'refutes'), ...group },
        evidence('www.c.example', 'refutes'),
        evidence('c.example', 'supports'),
        evidence('d.example', 'irrelevant'),
        evidence('e.example', 'context'),
      ],
      previous_fact_checks: [
        {
          publisher: 'F',
          url: 'https://f.example/1',
          claim: null,
          rating: 'False',
          similarity: 0.97,
          match: 'confirmed',
        },
        {
          publisher: 'G',
          url: 'https://g.example/1',
          claim: null,
          rating: 'False',
          similarity: 0.8,
          match: 'suggested',
        },
      ],
    });
    expect(independentSources(found)).toBe(3);
  });
});
