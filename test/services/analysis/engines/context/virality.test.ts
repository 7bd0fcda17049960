import { describe, expect, it } from 'vitest';
import { parseText } from '../../../../../src/services/analysis/engines/context/parsed-text.ts';
import { topicOf } from '../../../../../src/services/analysis/engines/context/topic.ts';
import { type Virality, viralityOf } from '../../../../../src/services/analysis/engines/context/virality.ts';
import { viralityFactor } from '../../../../../src/services/analysis/resources/verdict-result.ts';
import { shippedVerdictRules } from '../../../../../src/services/analysis/resources/verdict-rules.ts';
import { TEXTS } from './texts.ts';

const factors = shippedVerdictRules.virality_factors;

function viralityFor(text: string, language: string, priorSightings?: number): Virality {
  const reading = parseText({ text, title: null, language, flags: [], satirical_source: false });
  const input = {
    text: { parsed: reading, topic: topicOf(reading, shippedVerdictRules.sensitive_topics) },
    mediaType: 'text' as const,
    factors,
  };
  return viralityOf(priorSightings === undefined ? input : { ...input, priorSightings });
}

function measured(result: Virality, code: string): number | undefined {
  return result.virality_factors.find((factor) => factor.code === code)?.value;
}

describe('virality', () => {
  it.each([
    ['chainLetterEn', 'en', 55, 100],
    ['chainLetterRo', 'ro', 55, 100],
    ['calmNewsEn', 'en', 0, 29],
    ['calmNewsRo', 'ro', 0, 29],
    ['recipeRo', 'ro', 0, 29],
  ] as const)('of %s lies where it should', (name, language, least, most) => {
    const { virality_score: score } = viralityFor(TEXTS[name], language);
    expect(score).toBeGreaterThanOrEqual(least);
    expect(score).toBeLessThanOrEqual(most);
  });

  it('leaves out what nobody counted and reweighs the rest', () => {
    const without = viralityFor(TEXTS.chainLetterEn, 'en');
    expect(measured(without, 'prior_sightings')).toBeUndefined();
    expect(without.virality_factors).toHaveLength(8);
    const none = viralityFor(TEXTS.chainLetterEn, 'en', 0);
    expect(measured(none, 'prior_sightings')).toBe(0);
    expect(none.virality_score ?? 0).toBeLessThan(without.virality_score ?? 0);
    const many = viralityFor(TEXTS.chainLetterEn, 'en', 500);
    expect(measured(many, 'prior_sightings')).toBe(1);
    expect(many.virality_factors.map((factor) => factor.code)).toEqual(
      shippedVerdictRules.virality_factors.map((row) => row.code),
    );
  });

  it('is the sum of its contributions, in items of the interface', () => {
    for (const [name, text] of Object.entries(TEXTS)) {
      const result = viralityFor(text, name.includes('Ro') ? 'ro' : 'en', 2);
      const sum = result.virality_factors.reduce((total, factor) => total + factor.contribution, 0);
      expect(Math.abs(sum - (result.virality_score ?? -1))).toBeLessThan(0.15);
      for (const factor of result.virality_factors) expect(() => viralityFactor.parse(factor)).not.toThrow();
    }
  });

  it('measures only the format where there is no text', () => {
    const result = viralityOf({ text: null, mediaType: 'video', factors });
    expect(result.virality_factors.map((factor) => factor.code)).toEqual(['format_shareability']);
    expect(result.virality_score).toBe(100);
  });

  it.each([
    ['share_call', 'Please share this. Send this to everyone you know.'],
    ['novelty_shock', "Shocking! You won't believe the secret plan they don't want you to know."],
    ['emotional_arousal', 'Furious and disgusted people call it a betrayal, a nightmare of evil.'],
    ['group_identity', 'We patriots, our people and our children against the globalists and the elites.'],
    ['public_figure', 'The president and the prime minister met Elon Musk.'],
  ])('sees %s', (code, text) => {
    const result = viralityFor(text, 'en');
    expect(measured(result, code)).toBeGreaterThanOrEqual(0.5);
    expect(result.virality_factors.find((factor) => factor.code === code)?.spans.length).toBeGreaterThan(0);
  });

  it.each([
    ['en', "If you cannot find who said it first, don't pass it on."],
    ['en', 'Your code is 1234. Never share this code with anyone, do not forward this message.'],
    ['ro', 'Clipul este fals. Vă rog să nu îl mai distribuiți.'],
    ['ro', 'Mesajul este o înșelătorie, nu îl dați mai departe.'],
  ])('sees no call to share where the text asks not to: %s: %s', (language, text) => {
    expect(measured(viralityFor(text, language), 'share_call')).toBe(0);
  });

  it('needs both sides for group identity', () => {
    expect(measured(viralityFor('We love our town and our people.', 'en'), 'group_identity')).toBe(0);
    expect(measured(viralityFor('The elites met the globalists.', 'en'), 'group_identity')).toBe(0);
  });
});
