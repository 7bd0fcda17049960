import { expect, it } from 'vitest';
import { createConfigVersion } from '../../../../src/services/analysis/pipeline/config-version.ts';
import { makePlan } from '../../../../src/services/analysis/pipeline/plan.ts';
import { SHIPPED_TUNING } from '../../../../src/services/analysis/resources/tuning.ts';
import { shippedVerdictRules } from '../../../../src/services/analysis/resources/verdict-rules.ts';
import { submissionOf } from '../harness.ts';

const settings = { asksModel: true, model: 'm' };
const plan = makePlan(submissionOf(), shippedVerdictRules);
const version = createConfigVersion(settings)(plan);

it('a configuration has the same version whenever it is asked for', () => {
  expect(version).toMatch(/^[0-9a-f]{16}$/);
  expect(createConfigVersion({ ...settings })(makePlan(submissionOf(), shippedVerdictRules))).toBe(version);
});

it('a stored plan has the version of the plan that was stored, in whatever order its keys come back', () => {
  const reversed = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, part]) => [key, reversed(part)]),
        );
  const assignments = {
    'claims.extraction': { primary: 'n', fallbacks: ['m'] },
    'techniques.deep': { primary: 'm', fallbacks: [] },
  };
  const assigned = { ...plan, assignments };
  const stored = reversed(assigned) as typeof assigned;
  expect(JSON.stringify(stored.profile)).not.toBe(JSON.stringify(assigned.profile));
  expect(createConfigVersion(settings)(stored)).toBe(createConfigVersion(settings)(assigned));
});

it.each([
  ['another model', { model: 'n' }],
  ['no model', { asksModel: false }],
])('%s is another configuration', (_name, change) =>
  expect(createConfigVersion({ ...settings, ...change })(plan)).not.toBe(version),
);

it.each([
  ['other rules of the verdict', { rulesVersion: '9' }],
  ['a longer text for models', { tuning: { ...SHIPPED_TUNING, model: { timeoutMs: 1, textLength: 9 } } }],
  ['another model for a stage', { assignments: { 'claims.extraction': { primary: 'n', fallbacks: [] } } }],
])('a session with %s has another configuration', (_name, change) =>
  expect(createConfigVersion(settings)({ ...plan, ...change })).not.toBe(version),
);
