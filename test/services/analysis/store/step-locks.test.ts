import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { insertCheckpoints } from '../../../../src/services/analysis/store/checkpoints.ts';
import { migrations } from '../../../../src/services/analysis/store/migrations.ts';
import { readProgress } from '../../../../src/services/analysis/store/progress-events.ts';
import {
  eraseSession,
  findSession,
  insertSession,
  moveSession,
} from '../../../../src/services/analysis/store/sessions.ts';
import {
  deleteStepLocks,
  lockSteps,
  releaseStep,
  type StepLockRequest,
} from '../../../../src/services/analysis/store/step-locks.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { CONFIG_VERSION, newSession, SKIPPED_CLAIMS, submissionOf } from '../harness.ts';

const RESULT = { checkpoint: SKIPPED_CLAIMS, inputHash: 'hash', configVersion: CONFIG_VERSION };

forEachEngine((engine) => {
  const queries = () => engine.database().kysely<AnalysisTables>();

  /** A session whose step `claims` deliveries want to run. */
  async function accepted() {
    await engine.database().migrate('analysis', migrations);
    const { sessionId, ...created } = newSession(submissionOf());
    await insertSession(queries(), { sessionId, ...created, status: 'processing', lease: null });
    const request = (more: Partial<StepLockRequest> = {}): StepLockRequest => ({
      sessionId,
      step: 'claims',
      holder: randomUUID(),
      again: false,
      replaces: false,
      ...more,
    });
    const hold = (more: Partial<StepLockRequest> = {}) =>
      lockSteps(queries(), [request(more)]).then(([answer]) => answer);
    const store = (holder: string) => insertCheckpoints(queries(), sessionId, [RESULT], holder);
    return { sessionId, request, hold, store };
  }

  it('the first delivery gets the step, and the session runs from then on', async () => {
    const { sessionId, hold } = await accepted();
    expect(await hold()).toBe('held');
    expect((await findSession(queries(), sessionId))?.session).toMatchObject({
      status: 'running',
      startedAt: expect.any(Date),
    });
    const { events } = await readProgress(queries(), sessionId, 0);
    expect(events.map(({ event }) => event)).toEqual([
      { event: 'session.status', data: { status: 'processing', error_code: null } },
      { event: 'session.status', data: { status: 'running', error_code: null } },
      { event: 'component.started', data: { component: 'claims' } },
    ]);
  });

  it('another copy of its message has to wait, one that was in other hands takes the step over', async () => {
    const { hold, store } = await accepted();
    const [first, second] = [randomUUID(), randomUUID()];
    expect(await hold({ holder: first })).toBe('held');
    expect(await hold()).toBe('busy');
    expect(await hold({ holder: second, again: true })).toBe('held');
    expect(await store(first)).toEqual([]);
    expect(await store(second)).toEqual(['claims']);
  });

  it('nobody gets a step whose result is stored, unless it is to be made anew', async () => {
    const { hold, store } = await accepted();
    const holder = randomUUID();
    await hold({ holder });
    await store(holder);
    expect(await hold()).toBe('stored');
    expect(await hold({ again: true })).toBe('stored');
    expect(await hold({ replaces: true })).toBe('held');
  });

  it('a step that came to nothing is free again, and one that is held for too long', async () => {
    const { sessionId, request, hold } = await accepted();
    const first = request();
    expect(await hold(first)).toBe('held');
    await releaseStep(queries(), request());
    expect(await hold()).toBe('busy');
    await releaseStep(queries(), first);
    expect(await hold()).toBe('held');
    await queries()
      .updateTable('analysis_step_hold')
      .set({ held_at: new Date(Date.now() - 3_600_000) })
      .where('session_id', '=', sessionId)
      .execute();
    expect(await hold()).toBe('held');
    expect(await hold()).toBe('busy');
    await deleteStepLocks(queries(), sessionId, ['techniques']);
    expect(await hold()).toBe('busy');
    await deleteStepLocks(queries(), sessionId, ['claims']);
    expect(await hold()).toBe('held');
  });

  it('nobody gets a step of a session that has ended, and its holds go with its content', async () => {
    const { sessionId, hold } = await accepted();
    await hold();
    await moveSession(queries(), sessionId, 'cancel', 'canceled');
    expect(await hold({ again: true })).toBe('stored');
    await eraseSession(queries(), sessionId, new Date());
    const left = queries().selectFrom('analysis_step_hold').selectAll().where('session_id', '=', sessionId);
    expect(await left.execute()).toEqual([]);
    const kept = queries().selectFrom('analysis_session').select(['plan', 'submission', 'input_text']);
    expect(await kept.where('session_id', '=', sessionId).execute()).toEqual([
      { plan: {}, submission: {}, input_text: null },
    ]);
  });

  it('of deliveries that come together one gets the step', async () => {
    for (let round = 0; round < 20; round++) {
      const { hold } = await accepted();
      const answers = await Promise.all(Array.from({ length: 6 }, () => hold()));
      expect(answers.toSorted()).toEqual(['busy', 'busy', 'busy', 'busy', 'busy', 'held']);
    }
  });

  it('a step is either run or stored: of a result and another delivery that come together one wins', async () => {
    for (let round = 0; round < 20; round++) {
      const { hold, store } = await accepted();
      const holder = randomUUID();
      await hold({ holder });
      const [stored, taken] = await Promise.all([store(holder), hold({ again: true })]);
      expect([stored, taken === 'held']).toEqual(stored.length === 1 ? [['claims'], false] : [[], true]);
    }
  });
});
