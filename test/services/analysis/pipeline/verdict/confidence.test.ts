import { describe, expect, it } from 'vitest';
import {
  agreementOf,
  confidenceOf,
} from '../../../../../src/services/analysis/pipeline/verdict/confidence.ts';
import { weightsByScore } from '../../../../../src/services/analysis/pipeline/verdict/weights.ts';
import {
  profileOf,
  shippedVerdictRules as rules,
} from '../../../../../src/services/analysis/resources/verdict-rules.ts';
import { calm, claim, claimsBlock, lost, ran, skipped, techniquesBlock, usualFacts } from '../blocks.ts';

describe('confidence', () => {
  const profile = profileOf(rules, 'url');
  const weights = weightsByScore((name) => profile.weights[name]);
  const scores = { manipulation: 4, claims: 10, ai: 8, source: 12, context: 5 };
  const at = (over: Partial<Parameters<typeof confidenceOf>[0]> = {}) =>
    confidenceOf({
      outcomes: calm(),
      rules,
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
        rules.confidence_model,
        weightsByScore((name) => (name === 'source' ? 1 : 0)),
        one,
      ),
    ).toBe(0.5);
    const halves = { ...one, manipulation: 0, source: 100 };
    expect(
      agreementOf(
        rules.confidence_model,
        weightsByScore((name) => (name === 'source' || name === 'manipulation' ? 0.5 : 0)),
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
