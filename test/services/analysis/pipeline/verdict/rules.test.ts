import { describe, expect, it } from 'vitest';
import verdictRules from '../../../../../data/taxonomy/verdict.json' with { type: 'json' };
import {
  bandOf,
  confidenceLevelOf,
  distanceToEdge,
  steadyBandOf,
  viralityLevelOf,
} from '../../../../../src/services/analysis/pipeline/verdict/bands.ts';
import {
  agreementOf,
  confidenceOf,
} from '../../../../../src/services/analysis/pipeline/verdict/confidence.ts';
import { CONDITIONS, defaultProfile } from '../../../../../src/services/analysis/pipeline/verdict/rules.ts';
import { independentSources } from '../../../../../src/services/analysis/pipeline/verdict/scores.ts';
import { appliedWeights, byName } from '../../../../../src/services/analysis/pipeline/verdict/weights.ts';
import {
  calm,
  claim,
  claimsBlock,
  evidence,
  lost,
  ran,
  skipped,
  techniquesBlock,
  usualFacts,
} from '../blocks.ts';

describe('numbers of the conditions', () => {
  const sentences = new Map(verdictRules.overrides.map((row) => [row.code, row.condition]));

  it.each(Object.entries(CONDITIONS))('%s stand in the sentence of the rule', (code, numbers) => {
    const sentence = sentences.get(code) ?? '';
    const stated = [...sentence.matchAll(/\d+(?:\.\d+)?/g)].map(([digits]) => Number(digits));
    for (const number of Object.values(numbers)) expect(stated, sentence).toContain(number);
  });
});

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
  ])('%d is %s', (score, category) => expect(bandOf(score).risk_category).toBe(category));

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
    expect(steadyBandOf(score, previous).risk_category).toBe(category),
  );

  it.each([
    [0, 'very_low'],
    [0.1999, 'very_low'],
    [0.2, 'low'],
    [0.45, 'medium'],
    [0.7, 'high'],
    [0.9, 'very_high'],
    [1, 'very_high'],
  ])('confidence %d is %s', (value, level) => expect(confidenceLevelOf(value)).toBe(level));

  it.each([
    [0, 'low'],
    [54.9, 'moderate'],
    [55, 'high'],
    [75, 'very_high'],
  ])('virality %d is %s', (value, level) => expect(viralityLevelOf(value)).toBe(level));

  it('measures the way to the nearest edge', () => {
    expect(distanceToEdge(0)).toBe(20);
    expect(distanceToEdge(57)).toBe(3);
    expect(distanceToEdge(80)).toBe(0);
    expect(distanceToEdge(100)).toBe(20);
  });
});

describe('applied weights', () => {
  const { profile } = defaultProfile('text');
  const all = byName(() => 1);

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
    const factors = byName((_name, index) => reliability[index] ?? 0);
    expect(appliedWeights(profile, record(scores), factors)).toEqual(record(wanted));
  });

  it('is undefined when nothing was used', () => {
    const none = { manipulation: null, claims: null, ai: null, source: null, context: null };
    expect(appliedWeights(profile, none, all)).toBeUndefined();
  });
});

describe('confidence', () => {
  const { profile } = defaultProfile('url');
  const weights = byName((name) => profile.weights[name]);
  const scores = { manipulation: 4, claims: 10, ai: 8, source: 12, context: 5 };
  const at = (over: Partial<Parameters<typeof confidenceOf>[0]> = {}) =>
    confidenceOf({
      outcomes: calm(),
      profile,
      scores,
      weights,
      contextQuality: 1,
      facts: usualFacts,
      riskScore: 8.3,
      tooFew: false,
      ...over,
    });

  it('is 0.5 in agreement with one score and 0 for opposite halves', () => {
    const one = { manipulation: null, claims: null, ai: null, source: 70, context: null };
    expect(
      agreementOf(
        byName((name) => (name === 'source' ? 1 : 0)),
        one,
      ),
    ).toBe(0.5);
    const halves = { ...one, manipulation: 0, source: 100 };
    expect(
      agreementOf(
        byName((name) => (name === 'source' || name === 'manipulation' ? 0.5 : 0)),
        halves,
      ),
    ).toBe(0);
  });

  it.each([
    ['a failed model', { outcomes: calm({ techniques: ran(techniquesBlock(4), { fallbacks: 1 }) }) }, 0.95],
    [
      'a stand-in engine',
      { outcomes: calm({ techniques: ran(techniquesBlock(4), { reliability: 'fallback' }) }) },
      0.95,
    ],
    [
      'nine failed models count as four',
      { outcomes: calm({ techniques: ran(techniquesBlock(4), { fallbacks: 9 }) }) },
      0.95 ** 4,
    ],
    [
      'a missing part',
      { outcomes: calm({ techniques: ran(techniquesBlock(4), { reliability: 'degraded' }) }) },
      0.85,
    ],
    ['a short text', { facts: { text_length: 199, language: 'en' } }, 0.85],
    ['a text of usual length', { facts: { text_length: 200, language: 'ro' } }, 1],
    ['another language', { facts: { text_length: 500, language: 'fr' } }, 0.85],
    ['no language', { facts: { text_length: 500, language: null } }, 0.85],
    ['no text at all', { facts: { text_length: null, language: null } }, 1],
    ['a lost transcription', { facts: { ...usualFacts, material_losses: 1 } }, 0.85],
    ['a score near an edge', { riskScore: 17 }, 0.95],
    ['a score a little farther', { riskScore: 16.9 }, 1],
    [
      'media out of scope',
      { outcomes: calm({ techniques: ran(techniquesBlock(4), { out_of_scope: true }) }) },
      0.8,
    ],
  ] as const)('%s costs its factor', (_, over, factor) => {
    expect(at(over as Parameters<typeof at>[0]).value).toBeCloseTo(at().value * factor, 3);
  });

  it('falls when a component is lost, and not when it was never asked for', () => {
    const without = { ...scores, source: null };
    const absent = at({ outcomes: calm({ domain: lost }), scores: without });
    const unasked = at({ outcomes: calm({ domain: skipped }), scores: without });
    expect(absent.coverage).toBeCloseTo(0.75, 9);
    expect(unasked.coverage).toBe(1);
    expect(absent.value).toBeLessThan(unasked.value);
  });

  it('counts undecided claims as not covered and nothing to check as not meant', () => {
    const without = { ...scores, claims: null };
    const undecided = calm({ claims: ran(claimsBlock(null, [claim('unverified', 1)])) });
    expect(at({ outcomes: undecided, scores: without }).coverage).toBeCloseTo(0.7, 9);
    expect(at({ outcomes: calm({ claims: ran(claimsBlock(null)) }), scores: without }).coverage).toBe(1);
  });

  it('is capped without independent evidence at a high score, and below min_components', () => {
    const bare = calm({ claims: ran(claimsBlock(20, [claim('verified_false', 0)])) });
    expect(at({ outcomes: bare, riskScore: 70 })).toMatchObject({ value: 0.6 });
    expect(at({ riskScore: 70 }).caps).toEqual([]);
    expect(at({ tooFew: true }).value).toBe(0.3);
  });
});

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
