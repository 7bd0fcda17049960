import { describe, expect, it } from 'vitest';
import {
  appliedWeights,
  weightsByScore,
} from '../../../../../src/services/analysis/pipeline/verdict/weights.ts';
import {
  profileOf,
  shippedVerdictRules as rules,
} from '../../../../../src/services/analysis/resources/verdict-rules.ts';

describe('applied weights', () => {
  const profile = profileOf(rules, 'text');
  const all = weightsByScore(() => 1);

  it.each([
    ['all five', [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [0.3, 0.35, 0.1, 0.15, 0.1]],
    ['a missing source', [1, 1, 1, null, 1], [1, 1, 1, 0, 1], [0.3529, 0.4118, 0.1177, 0, 0.1176]],
    ['techniques on a fallback', [1, 1, 1, null, 1], [0.85, 1, 1, 0, 1], [0.3168, 0.4348, 0.1242, 0, 0.1242]],
    ['one score', [null, null, null, 1, null], [1, 1, 1, 1, 1], [0, 0, 0, 1, 0]],
  ] as const)('%s', (_, scores, reliability, wanted) => {
    const record = (values: readonly (number | null)[]) => {
      const [manipulation = null, claims = null, ai = null, source = null, context = null] = values;
      return { manipulation, claims, ai, source, context };
    };
    const factors = weightsByScore((_name, index) => reliability[index] ?? 0);
    expect(appliedWeights(profile, record(scores), factors)).toEqual(record(wanted));
  });

  it('is undefined when nothing was used', () => {
    const none = { manipulation: null, claims: null, ai: null, source: null, context: null };
    expect(appliedWeights(profile, none, all)).toBeUndefined();
  });
});
