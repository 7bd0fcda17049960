import { describe, expect, it } from 'vitest';
import { absentTextModel } from '../../../../src/services/analysis/dependencies/text-model/text-model.ts';
import { contextOf } from '../../../../src/services/analysis/engines/context/context.ts';
import { parseText } from '../../../../src/services/analysis/engines/context/parsed-text.ts';
import { viralityOf } from '../../../../src/services/analysis/engines/context/virality.ts';
import type { TextEngines } from '../../../../src/services/analysis/engines/text-engines.ts';
import { untimedTask } from '../../../../src/services/analysis/engines/text-engines.ts';
import { immediateMaterial } from '../../../../src/services/analysis/pipeline/material.ts';
import { makePlan } from '../../../../src/services/analysis/pipeline/plan.ts';
import { createVerdictMaker } from '../../../../src/services/analysis/pipeline/verdict-maker.ts';
import {
  shippedVerdictRules,
  type VerdictRules,
  type VerdictRulesSource,
} from '../../../../src/services/analysis/resources/verdict-rules.ts';
import { checkpoint } from '../../../../src/services/analysis/session/checkpoint.ts';
import { NO_MEDIA, submissionOf } from '../harness.ts';
import { calm } from './blocks.ts';

const identify = () => 'en';
const engines: Pick<TextEngines, 'context' | 'encode' | 'identify'> = {
  identify,
  encode: async () => ({ lost: 'timeout' }),
  context: async ({ mediaType, priorSightings, rules, ...input }) => {
    const reading = parseText(input);
    const context = contextOf(reading, rules.sensitive_topics);
    const virality = viralityOf({
      text: { parsed: reading, topic: context.topic },
      mediaType,
      priorSightings,
      factors: rules.virality_factors,
    });
    return { context, virality };
  },
};

/** Rules in which the claims decide nearly alone, under another version. */
const claimsFirst: VerdictRules = {
  ...shippedVerdictRules,
  version: '1.0.0+2',
  weight_profiles: shippedVerdictRules.weight_profiles.map((profile) => ({
    ...profile,
    profile_code: `claims_${profile.media_type}`,
    weights: { manipulation: 0.05, claims: 0.8, ai: 0.05, source: 0.05, context: 0.05 },
  })),
};

const sourceOf = (current: VerdictRules, ...earlier: VerdictRules[]): VerdictRulesSource => ({
  current: async () => current,
  ofVersion: async (version) => [current, ...earlier].find((rules) => rules.version === version),
});

const outcomes = calm();
const checkpoints = Object.entries(outcomes).map(([step, outcome]) =>
  checkpoint.parse({ step, outcome, degraded: [] }),
);

async function verdictBy(planned: VerdictRules, source: VerdictRulesSource, own = engines) {
  const submission = submissionOf();
  const plan = makePlan(submission, planned);
  const makeVerdict = createVerdictMaker(own, absentTextModel, async () => 0, source);
  const tools = { ...NO_MEDIA, identify, fetchPage: () => Promise.reject(new Error('no page is asked for')) };
  const material = await immediateMaterial(submission, tools, 'c');
  if (material === null) throw new Error('the material of a text is there at once');
  const run = { ...untimedTask('ana'), correlationId: 'c', planType: 1, assignments: {} };
  const { verdict } = await makeVerdict({ sessionId: 's', submission, plan }, material, checkpoints, run);
  return { verdict, plan };
}

describe('the step that judges', () => {
  it('raises an article that the context engine takes for one-sided', async () => {
    const sided: typeof engines = {
      ...engines,
      context: async (...given) => {
        const read = await engines.context(...given);
        if ('lost' in read) return read;
        return { ...read, context: { ...read.context, article: { one_sided: 0.9, clickbait: null } } };
      },
    };
    const source = sourceOf(shippedVerdictRules);
    const { verdict } = await verdictBy(shippedVerdictRules, source, sided);
    expect(verdict).toMatchObject({ risk_score: 40, override_type: 'one_sided_article' });
    expect(verdict.explanation_en).toContain(
      'to 40.0: as a whole the article reads like those that take sides',
    );
    expect((await verdictBy(shippedVerdictRules, source)).verdict.override_type).toBeNull();
  });

  it.each([
    ['the shipped rules', shippedVerdictRules, 'default_text@1.0.0'],
    ['rules that an operator made', claimsFirst, 'claims_text@1.0.0+2'],
  ])('judges by the profile that the plan reports: %s', async (_name, rules, source) => {
    const { verdict, plan } = await verdictBy(rules, sourceOf(rules));
    expect(verdict.rules_version).toBe(rules.version);
    expect(verdict.weights_source).toBe(source);
    expect(verdict.applied_weights).toEqual(plan.profile.weights);
  });

  it('judges a session by the rules that it was planned with, though others are in force by then', async () => {
    const { verdict } = await verdictBy(shippedVerdictRules, sourceOf(claimsFirst, shippedVerdictRules));
    expect(verdict.rules_version).toBe('1.0.0');
    expect(verdict.applied_weights.claims).toBe(0.35);
  });

  it('judges by the rules in force, and names them, when those of the plan are gone', async () => {
    const { verdict } = await verdictBy(shippedVerdictRules, sourceOf(claimsFirst));
    expect(verdict.weights_source).toBe('claims_text@1.0.0+2');
    expect(verdict.applied_weights.claims).toBe(0.8);
  });

  it.each([
    [1, 0],
    [9, 1],
  ])(
    'is tried again when its thread is lost %i times, then goes on without the context',
    async (losses, missing) => {
      let left = losses;
      const failing: typeof engines = {
        ...engines,
        context: async (task, turn) => {
          left -= 1;
          if (left >= 0) throw new Error('the thread is gone');
          return engines.context(task, turn);
        },
      };
      const submission = submissionOf();
      const plan = makePlan(submission, shippedVerdictRules);
      const makeVerdict = createVerdictMaker(
        failing,
        absentTextModel,
        async () => 0,
        sourceOf(shippedVerdictRules),
      );
      const tools = {
        ...NO_MEDIA,
        identify,
        fetchPage: () => Promise.reject(new Error('no page is asked for')),
      };
      const material = await immediateMaterial(submission, tools, 'c');
      if (material === null) throw new Error('the material of a text is there at once');
      const run = { ...untimedTask('ana'), correlationId: 'c', planType: 1, assignments: {} };
      const result = await makeVerdict({ sessionId: 's', submission, plan }, material, checkpoints, run);
      expect(result.degraded.filter(({ dependency }) => dependency === 'context')).toHaveLength(missing);
      expect(result.verdict.score_context === null).toBe(missing === 1);
      expect(result.verdict.risk_score).not.toBeNull();
    },
  );
});
