import { describe, expect, it } from 'vitest';
import {
  componentsOf,
  describeFlow,
  makePlan,
  nextSteps,
  queuePriority,
  withDependents,
} from '../../../../src/services/analysis/pipeline/plan.ts';
import { shippedVerdictRules } from '../../../../src/services/analysis/resources/verdict-rules.ts';
import type { StepName } from '../../../../src/services/analysis/session/plan.ts';
import type { Submission } from '../../../../src/services/analysis/session/submission.ts';

const submission: Submission = {
  mediaType: 'text',
  text: 'A text that is long enough.',
  url: null,
  mediaUrl: null,
  userId: 'ana',
  account: 'clients/ana',
  userEmail: null,
  sourceApp: 'api',
  planType: 1,
  components: ['techniques', 'ai_tampered', 'claims', 'domain'],
  skipped: [],
  userFlagged: false,
  inputHash: 'x',
};
const page: Submission = { ...submission, mediaType: 'url', text: null, url: 'https://example.org/' };

const names = (plan: ReturnType<typeof makePlan>, done: StepName[]) =>
  nextSteps(plan, new Set(done)).map(({ name }) => name);

describe('the plan', () => {
  it('of a text runs three components at once and says why the source is left out', () => {
    const plan = makePlan(submission, shippedVerdictRules);
    expect(describeFlow(plan)).toBe(
      'intake -> material -> (techniques | ai_tampered | claims) -> verdict -> store',
    );
    expect(plan.skipped).toEqual([{ component: 'domain', reason: { code: 'no_web_address', values: {} } }]);
    expect(plan.profile.profile_code).toBe('default_text');
    expect(names(plan, [])).toEqual(['material']);
    expect(names(plan, ['material'])).toEqual(['techniques', 'ai_tampered', 'claims']);
    expect(names(plan, ['material', 'claims'])).toEqual(['techniques', 'ai_tampered']);
    expect(names(plan, ['material', 'claims', 'techniques', 'ai_tampered'])).toEqual(['verdict']);
    expect(names(plan, ['material', 'claims', 'techniques', 'ai_tampered', 'verdict'])).toEqual([]);
    expect(plan.steps[0]?.timeoutMs).toBe(0);
  });

  it('of a page fetches first', () => {
    const plan = makePlan(page, shippedVerdictRules);
    expect(names(plan, [])).toEqual(['material']);
    expect(names(plan, ['material'])).toEqual(['techniques', 'ai_tampered', 'claims', 'domain']);
    expect(componentsOf(plan)).toHaveLength(4);
    expect(plan.profile.profile_code).toBe('default_url');
    expect(plan.steps[0]?.timeoutMs).toBe(20_000);
  });

  it('knows what rests on a step', () => {
    const plan = makePlan(page, shippedVerdictRules);
    expect(withDependents(plan, [])).toEqual(new Set());
    expect(withDependents(plan, ['claims'])).toEqual(new Set(['claims', 'verdict']));
    expect(withDependents(plan, ['material']).size).toBe(plan.steps.length);
  });

  it('gives premium plans the better places', () => {
    expect([1, 2, 3, 4, 5, 6].map(queuePriority)).toEqual([1, 2, 3, 6, 7, 8]);
  });

  it('with nothing that can apply still ends in a verdict', () => {
    const plan = makePlan({ ...submission, components: ['domain'] }, shippedVerdictRules);
    expect(names(plan, ['material'])).toEqual(['verdict']);
  });

  it.each(['audio', 'video'] as const)(
    'of %s hears it, and looks quickly at a stored one alone',
    (mediaType) => {
      const recording: Submission = {
        ...submission,
        mediaType,
        text: null,
        mediaUrl: 'https://example.org/a',
      };
      const plan = makePlan(recording, shippedVerdictRules);
      expect(plan.profile.profile_code).toBe(`default_${mediaType}`);
      expect(names(plan, ['material'])).toEqual(['techniques', 'ai_tampered', 'claims']);
      const quick = makePlan({ ...recording, quick: true }, shippedVerdictRules);
      expect(quick.skipped.map(({ reason }) => reason.code)).toContain('quick_fetches_nothing');
      const stored = makePlan({ ...recording, quick: true, mediaId: 'm' }, shippedVerdictRules);
      expect(names(stored, ['material'])).toEqual(['ai_tampered']);
    },
  );

  it('of a picture examines it, and looks quickly at one that is stored alone', () => {
    const picture: Submission = {
      ...submission,
      mediaType: 'image',
      text: null,
      mediaUrl: 'https://example.org/a.png',
    };
    const runs = (more: Partial<Submission>) =>
      makePlan({ ...picture, ...more }, shippedVerdictRules).steps.map(({ name }) => name);
    expect(runs({})).toEqual(['material', 'techniques', 'ai_tampered', 'claims', 'verdict']);
    expect(runs({ quick: true })).toEqual(['material', 'verdict']);
    expect(runs({ quick: true, mediaId: 'm' })).toEqual(['material', 'ai_tampered', 'verdict']);
  });
});
