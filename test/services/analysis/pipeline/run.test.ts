import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { EngineTimeoutError } from '../../../../src/services/analysis/engines/text-engines.ts';
import { runStep } from '../../../../src/services/analysis/pipeline/run.ts';
import { silent } from '../../../foundation/database/engines.ts';
import { newSession, runnersOf, scripted, submissionOf } from '../harness.ts';
import { techniquesBlock } from './blocks.ts';

const session = newSession(submissionOf({ components: ['claims'] }));
const claims = session.plan.steps.find(({ name }) => name === 'claims');
const material = session.checkpoints.map(({ checkpoint }) => checkpoint);
const runIn = (signal: AbortSignal) => ({
  signal,
  correlationId: 'none',
  planType: 1,
  assignments: {},
  forgive: true,
  log: silent,
});

describe('a step', () => {
  it('leaves no listener behind on the signal of its session', async () => {
    const { signal } = new AbortController();
    const runners = runnersOf(scripted().components);
    for (const step of session.plan.steps) await runStep(step, session, material, runners, runIn(signal));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('counts an engine that took too long as a component that did not answer in time', async () => {
    const late = async () => {
      throw new EngineTimeoutError(15_000);
    };
    const runners = runnersOf({ ...scripted().components, claims: late });
    const run = runIn(new AbortController().signal);
    if (claims === undefined) throw new Error('the plan has no step');
    expect(await runStep(claims, session, material, runners, run)).toMatchObject({
      outcome: { state: 'lost', reason: { code: 'no_answer_in_time', values: { seconds: 15 } } },
      degraded: [{ dependency: 'claims', reason: 'timeout', effect: 'component_lost' }],
    });
    await expect(runStep(claims, session, material, runners, { ...run, forgive: false })).rejects.toThrow(
      EngineTimeoutError,
    );
  });

  it('counts a block that is not of its schema as a failure of the component', async () => {
    const { components } = scripted();
    const wrong = async () => ({
      block: techniquesBlock(1),
      reliability: 'planned' as const,
      quality: 1,
      fallbacks: 0,
      out_of_scope: false,
      degraded: [],
    });
    const runners = runnersOf({ ...components, claims: wrong });
    const run = runIn(new AbortController().signal);
    if (claims === undefined) throw new Error('the plan has no step');
    expect(await runStep(claims, session, material, runners, run)).toMatchObject({
      step: 'claims',
      outcome: { state: 'lost', reason: { code: 'component_failed' } },
    });
    await expect(runStep(claims, session, material, runners, { ...run, forgive: false })).rejects.toThrow(
      'total_claims',
    );
  });
});
