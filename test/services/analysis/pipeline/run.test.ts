import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { runStep } from '../../../../src/services/analysis/pipeline/run.ts';
import { silent } from '../../../foundation/database/engines.ts';
import { newSession, runnersOf, scripted, submissionOf } from '../harness.ts';

describe('a step', () => {
  it('leaves no listener behind on the signals that it was given', async () => {
    const signals: AbortSignal[] = [];
    const { components } = scripted({
      claims: async ({ signal }) => {
        signals.push(signal);
      },
    });
    const { signal } = new AbortController();
    const session = newSession(submissionOf({ components: ['claims'] }));
    const run = { signal, correlationId: 'none', planType: 1, assignments: {}, forgive: false, log: silent };
    for (const step of session.plan.nodes) await runStep(step, session, {}, runnersOf(components), run);
    expect(signals).toHaveLength(1);
    for (const each of [...signals, signal]) expect(getEventListeners(each, 'abort')).toHaveLength(0);
  });
});
