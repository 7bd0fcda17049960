import { describe, expect, it } from 'vitest';
import {
  progressEvent,
  statusChanged,
  stepEnded,
  verdictReached,
} from '../../../../src/services/analysis/session/progress-event.ts';
import { verdictRecord } from '../pipeline/blocks.ts';

const llm = { dependency: 'llm', reason: 'timeout', effect: 'fallback' } as const;
const web = { dependency: 'web', reason: 'unavailable', effect: 'part_missing' } as const;
const material = { text: 'x', title: null, language: 'en', reason: null } as never;

describe('the end of a step', () => {
  it('of a component tells what it had to do without, then what came of it', () => {
    const reason = { code: 'no_text', values: {} } as const;
    expect(stepEnded({ step: 'claims', outcome: { state: 'skipped', reason }, degraded: [llm] })).toEqual([
      { event: 'component.degraded', data: { component: 'claims', ...llm } },
      { event: 'component.completed', data: { component: 'claims', state: 'skipped', reason } },
    ]);
  });

  it('of the others tells only of losses', () => {
    expect(stepEnded({ step: 'material', material, degraded: [web] })).toEqual([
      { event: 'component.degraded', data: { component: null, ...web } },
    ]);
    const verdict = verdictRecord({});
    expect(stepEnded({ step: 'verdict', verdict, topic: null, enqueue: null, degraded: [] })).toEqual([]);
  });
});

describe('what is stored of an event', () => {
  it.each([
    statusChanged('failed', 'internal_error'),
    verdictReached(verdictRecord({}), 2),
    ...stepEnded({ step: 'material', material, degraded: [web] }),
  ])('%j is read as it was', (event) => {
    expect(progressEvent.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it('is refused when it is none', () => {
    for (const value of [{}, { event: 'x', data: {} }, { event: 'session.status', data: { status: 'gone' } }])
      expect(progressEvent.safeParse(value).success).toBe(false);
  });
});
