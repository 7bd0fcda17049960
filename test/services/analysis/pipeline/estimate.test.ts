import { describe, expect, it } from 'vitest';
import {
  estimateOf,
  type KnownModel,
  promptKeysOf,
  stagesOf,
} from '../../../../src/services/analysis/pipeline/estimate.ts';
import { dryRunAnswer, makePlan } from '../../../../src/services/analysis/pipeline/plan.ts';
import { dryRunPlan } from '../../../../src/services/analysis/resources/dry-run-plan.ts';
import { shippedVerdictRules } from '../../../../src/services/analysis/resources/verdict-rules.ts';
import { submissionOf } from '../harness.ts';

const none: KnownModel = { serving: () => null, usualTimes: () => undefined, textLength: 0, timeoutMs: 0 };
const unmeasured: KnownModel = { ...none, serving: () => 'm', textLength: 8_000, timeoutMs: 12_000 };
const times: Record<string, { p50: number; p95: number }> = {
  techniques: { p50: 2_000, p95: 4_000 },
  claims: { p50: 1_000, p95: 5_000 },
  explanation: { p50: 3_000, p95: 6_000 },
};
const measured: KnownModel = { ...unmeasured, usualTimes: (key) => times[key] };

const unassigned = { free: {}, premium: {} };

const submission = submissionOf({ text: 'word '.repeat(1000) });
const plan = makePlan(submission, shippedVerdictRules);

describe('what an analysis would use', () => {
  it('is our own engines alone without a model', () => {
    expect(stagesOf(plan, unassigned, none)).toMatchObject({
      'techniques.deep': { free: { primary: 'limpede-techniques-1', fallbacks: [] } },
      'verdict.explanation': { premium: { primary: 'limpede-explain-1', fallbacks: [] } },
    });
    expect(promptKeysOf(plan, none)).toEqual([]);
    expect(estimateOf(submission, plan, none)).toMatchObject({ calls: 0, tokens: 0, cost_units: 0 });
  });

  it('is the model where it helps, with our engines behind it', () => {
    expect(stagesOf(plan, unassigned, measured)).toMatchObject({
      'techniques.screening': { free: { primary: 'limpede-techniques-1', fallbacks: [] } },
      'techniques.deep': { free: { primary: 'm', fallbacks: ['limpede-techniques-1'] } },
      'claims.extraction': { free: { primary: 'm', fallbacks: ['limpede-claims-1'] } },
      'ai_tampered.screening': { free: { primary: 'limpede-ai-text-1', fallbacks: [] } },
      'verdict.explanation': { free: { primary: 'm', fallbacks: ['limpede-explain-1'] } },
    });
    expect(promptKeysOf(plan, measured)).toEqual(['techniques@1', 'claims@1', 'explanation@1']);
  });

  it('is who is assigned, in each tier', () => {
    const deep = { primary: 'big', fallbacks: ['small'] };
    const assigned = {
      free: { 'claims.extraction': { primary: 'limpede-claims-1', fallbacks: [] } },
      premium: { 'techniques.deep': deep },
    };
    const stages = stagesOf(plan, assigned, measured);
    expect(stages['techniques.deep']).toEqual({
      free: { primary: 'm', fallbacks: ['limpede-techniques-1'] },
      premium: { primary: 'big', fallbacks: ['small', 'limpede-techniques-1'] },
    });
    expect(stages['claims.extraction']?.free).toEqual({ primary: 'limpede-claims-1', fallbacks: [] });
    const free = makePlan(submission, shippedVerdictRules, assigned.free);
    expect(promptKeysOf(free, measured)).toEqual(['techniques@1', 'explanation@1']);
    expect(estimateOf(submission, free, measured).calls).toBe(2);
  });

  it('counts calls, tokens and the time of models as it was measured', () => {
    const alone = estimateOf(submission, plan, none);
    const helped = estimateOf(submission, plan, measured);
    expect(helped.calls).toBe(3);
    expect(helped.cost_units).toBe(Math.round(helped.tokens / 100) / 10);
    expect(helped.duration_ms_p50 - alone.duration_ms_p50).toBe(5_000);
    expect(helped.duration_ms_p95 - alone.duration_ms_p95).toBe(11_000);
    const unknown = estimateOf(submission, plan, unmeasured);
    expect(unknown.duration_ms_p95 - alone.duration_ms_p95).toBe(24_000);
  });

  it('grows with the text as far as a model reads it', () => {
    const tokens = (length: number) => {
      const longer = submissionOf({ text: 'x'.repeat(length) });
      return estimateOf(longer, makePlan(longer, shippedVerdictRules), measured).tokens;
    };
    expect(tokens(8_000)).toBeGreaterThan(tokens(4_000));
    expect(tokens(50_000)).toBe(tokens(8_000));
  });

  it('asks less of a part', () => {
    const part = submissionOf({ components: ['ai_tampered'] });
    expect(estimateOf(part, makePlan(part, shippedVerdictRules), measured).calls).toBe(1);
  });

  it('is an answer that keeps the contract', () => {
    const answer = dryRunAnswer(
      plan,
      stagesOf(plan, unassigned, measured),
      promptKeysOf(plan, measured),
      estimateOf(submission, plan, measured),
    );
    expect(dryRunPlan.safeParse(answer).error).toBeUndefined();
  });
});
