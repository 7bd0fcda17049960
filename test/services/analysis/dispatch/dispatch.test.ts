import { afterEach, describe, expect, it } from 'vitest';
import type { SessionLifecycle } from '../../../../src/services/analysis/dispatch/session-lifecycle.ts';
import type { StepRunners } from '../../../../src/services/analysis/pipeline/run.ts';
import { checkpointList, queueStatusOf } from '../../../../src/services/analysis/pipeline/session.ts';
import type { SessionStatus } from '../../../../src/services/analysis/resources/analysis-session.ts';
import { COMPONENTS } from '../../../../src/services/analysis/resources/component-name.ts';
import { checkpoint } from '../../../../src/services/analysis/session/checkpoint.ts';
import type { StepName } from '../../../../src/services/analysis/session/plan.ts';
import {
  insertCheckpoints,
  listCheckpoints,
  readCheckpoints,
} from '../../../../src/services/analysis/store/checkpoints.ts';
import {
  findSession,
  insertSession,
  type SessionRecord,
} from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables, CheckpointTable } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine, silent } from '../../../foundation/database/engines.ts';
import { eventually, until } from '../../../patience.ts';
import {
  BLOCKS,
  CONFIG_VERSION,
  newSession,
  runnersOf,
  SKIPPED_CLAIMS,
  scripted,
  startWorkers,
  submissionOf,
  untilAborted,
  type Workers,
} from '../harness.ts';
import { storedSessions } from './stored-sessions.ts';

forEachEngine((engine) => {
  const queries = () => engine.database().kysely<AnalysisTables>();
  const { record, checkpointsOf, whole } = storedSessions(queries);
  let workers: Workers | undefined;

  afterEach(async () => {
    await workers?.stop();
    workers = undefined;
  });

  const start = async (runners: StepRunners, slots?: { free: number; premium: number }) => {
    workers = await startWorkers(engine.database(), runners, slots ? { slots } : {});
    return workers;
  };

  const untilStatus = (sessionId: string, ...statuses: SessionStatus[]): Promise<SessionRecord> =>
    eventually(async () => {
      const current = await record(sessionId);
      expect(statuses).toContain(current.session.status);
      return current;
    });

  describe('the asynchronous form', () => {
    it('completes a session through the queues', async () => {
      const { components, runs } = scripted();
      const { lifecycle } = await start(runnersOf(components));
      const created = newSession(
        submissionOf({ mediaType: 'url', text: null, url: 'https://example.org/a' }),
      );
      expect(await lifecycle.accept(created, created.sessionId)).toBe(true);
      const session = await whole(await untilStatus(created.sessionId, 'completed'));
      expect(session.components_run).toEqual(['domain']);
      expect(session.verdict).toMatchObject({ components_used: ['domain'] });
      expect(runs.domain).toBe(1);
      expect(queueStatusOf((await record(created.sessionId)).session, [], null).progress).toBe(1);
    });

    it('judges a session once, although its components end at the same moment', async () => {
      const { components } = scripted();
      const own = runnersOf(components);
      let judged = 0;
      const makeVerdict: StepRunners['makeVerdict'] = (...parts) => {
        judged += 1;
        return own.makeVerdict(...parts);
      };
      const { lifecycle } = await start({ ...own, makeVerdict });
      const sessions = Array.from({ length: 10 }, () => newSession(submissionOf()));
      for (const created of sessions) await lifecycle.accept(created, created.sessionId);
      for (const { sessionId } of sessions) await untilStatus(sessionId, 'completed');
      expect(judged).toBe(sessions.length);
    });

    it('tries a failing component three times, then completes without it', async () => {
      const { components, runs } = scripted({
        techniques: async () => {
          throw new Error('broken');
        },
      });
      const { lifecycle } = await start(runnersOf(components));
      const created = newSession(submissionOf());
      await lifecycle.accept(created, created.sessionId);
      const session = await whole(await untilStatus(created.sessionId, 'completed'));
      expect(runs.techniques).toBe(3);
      expect(session.components_run).toEqual(['ai_tampered', 'claims']);
      expect(session.degraded).toContainEqual({
        dependency: 'techniques',
        reason: 'unavailable',
        effect: 'component_lost',
        message: 'The check of wording gave no answer. Its result is missing.',
        message_ro:
          'Verificarea formulărilor nu a dat niciun răspuns. Lipsește rezultatul acestei verificări.',
      });
    });

    it('stops at once when it is cancelled, keeps what was found, and resumes without doing it again', async () => {
      let hold = true;
      let aborted = false;
      const { components, runs } = scripted({
        claims: async ({ signal }) => {
          signal.addEventListener('abort', () => {
            aborted = true;
          });
          if (hold) await untilAborted(signal);
        },
      });
      const { lifecycle } = await start(runnersOf(components));
      const created = newSession(submissionOf());
      await lifecycle.accept(created, created.sessionId);
      await until(async () => {
        const checkpoints = await checkpointsOf(await record(created.sessionId));
        return checkpoints.length === 3 && runs.claims === 1;
      });
      const running = await record(created.sessionId);
      expect(running.session.status).toBe('running');
      const at = await lifecycle.cancel(running);
      const canceled = await record(created.sessionId);
      expect(canceled.session.status).toBe('canceled');
      expect(await lifecycle.cancel(canceled)).toEqual(at);
      await until(() => aborted);
      expect((await whole(canceled)).techniques).toEqual(BLOCKS.techniques);

      hold = false;
      await lifecycle.resume(canceled, {}, created.sessionId);
      const session = await whole(await untilStatus(created.sessionId, 'completed'));
      expect(session.components_run).toEqual(['techniques', 'ai_tampered', 'claims']);
      expect(runs).toMatchObject({ techniques: 1, ai_tampered: 1, claims: 2 });
    });

    it('resumes from a checkpoint: what came after it runs again', async () => {
      const { components, runs } = scripted();
      const { lifecycle } = await start(runnersOf(components));
      const created = newSession(submissionOf());
      await lifecycle.accept(created, created.sessionId);
      await untilStatus(created.sessionId, 'completed');
      await queries()
        .updateTable('analysis_session')
        .set({ status: 'canceled' })
        .where('session_id', '=', created.sessionId)
        .execute();
      const canceled = await record(created.sessionId);
      const list = checkpointList(created.plan, await listCheckpoints(queries(), created.sessionId));
      expect(list.map(({ node }) => node).sort()).toEqual([
        'ai_tampered',
        'claims',
        'material',
        'techniques',
        'verdict',
      ]);
      expect(list.at(-1)?.next).toEqual([]);
      expect(list[3]?.next).toEqual(['verdict']);
      const elsewhere = lifecycle.resume(canceled, { checkpointId: '999999' }, 'x');
      await expect(elsewhere).rejects.toMatchObject({ code: 'checkpoint_not_found' });
      await lifecycle.resume(canceled, { checkpointId: list[1]?.checkpoint_id }, created.sessionId);
      await untilStatus(created.sessionId, 'completed');
      expect(runs.techniques + runs.ai_tampered + runs.claims).toBe(5);
    });

    /** A session that was canceled when all its steps had ended. */
    const canceled = async (lifecycle: SessionLifecycle) => {
      const created = newSession(submissionOf());
      await lifecycle.accept(created, created.sessionId);
      await untilStatus(created.sessionId, 'completed');
      await changeSession(created.sessionId, { status: 'canceled' });
      return record(created.sessionId);
    };
    const changeSession = (sessionId: string, change: { status: SessionStatus }) =>
      queries().updateTable('analysis_session').set(change).where('session_id', '=', sessionId).execute();
    const changeCheckpoint = (sessionId: string, step: StepName, change: Partial<CheckpointTable>) =>
      queries()
        .updateTable('analysis_checkpoint')
        .set({ version: change.version, config_version: change.config_version })
        .where('session_id', '=', sessionId)
        .where('step', '=', step)
        .execute();

    it.each([
      ['under another configuration', { config_version: 'earlier' }],
      ['by another version of the schema', { version: 0 }],
    ])('a resume runs again what was made %s, and nothing else', async (_name, change) => {
      const { components, runs } = scripted();
      const { lifecycle } = await start(runnersOf(components));
      const found = await canceled(lifecycle);
      await changeCheckpoint(found.session.sessionId, 'claims', change);
      await lifecycle.resume(found, {}, 'x');
      const session = await whole(await untilStatus(found.session.sessionId, 'completed'));
      expect(session.components_run).toEqual(['techniques', 'ai_tampered', 'claims']);
      expect(runs).toMatchObject({ techniques: 1, ai_tampered: 1, claims: 2 });
    });

    it('a second delivery runs again what was made under another configuration', async () => {
      const { components, runs } = scripted({ claims: ({ signal }) => untilAborted(signal) });
      const { lifecycle, broker } = await start(runnersOf(components));
      const created = newSession(submissionOf());
      const { sessionId } = created;
      await lifecycle.accept(created, sessionId);
      await until(async () => (await listCheckpoints(queries(), sessionId)).length === 3);
      await changeCheckpoint(sessionId, 'techniques', { config_version: 'earlier' });
      const again = (step: StepName) => ({
        queue: `analysis.${step}`,
        body: { session_id: sessionId, step, correlation_id: sessionId },
      });
      await broker.publish([again('techniques'), again('ai_tampered')]);
      await until(async () => {
        const { configVersions } = await readCheckpoints(
          queries(),
          (await record(sessionId)).session,
          silent,
        );
        return configVersions.get('techniques') === CONFIG_VERSION;
      });
      expect(runs).toMatchObject({ techniques: 2, ai_tampered: 1, claims: 1 });
      await lifecycle.cancel(await record(sessionId));
    });

    it.each<[string, StepName]>([
      ['a component still runs', 'claims'],
      ['the verdict is due', 'verdict'],
    ])('a checkpoint that became unusable while %s is made again', async (_name, due) => {
      const { components, runs } = scripted();
      const { lifecycle, broker } = await start(runnersOf(components), { free: 0, premium: 0 });
      const created = newSession(submissionOf());
      const { sessionId } = created;
      await lifecycle.accept(created, sessionId);
      await changeSession(sessionId, { status: 'running' });
      const ended = COMPONENTS.filter((name) => name !== due && name !== 'domain');
      const rows = ended.map((step) => ({
        checkpoint: checkpoint.parse({ ...SKIPPED_CLAIMS, step }),
        inputHash: 'hash',
        configVersion: CONFIG_VERSION,
      }));
      await insertCheckpoints(queries(), sessionId, rows);
      await changeCheckpoint(sessionId, 'techniques', { version: 0 });
      const body = { session_id: sessionId, step: due, correlation_id: sessionId };
      await broker.publish([{ queue: `analysis.${due}`, body }]);
      await untilStatus(sessionId, 'completed');
      expect(runs).toMatchObject({ techniques: 1, ai_tampered: 0, claims: due === 'claims' ? 1 : 0 });
    });

    it('refuses to cancel or resume a completed session', async () => {
      const { lifecycle } = await start(runnersOf(scripted().components));
      const created = newSession(submissionOf());
      await lifecycle.accept(created, created.sessionId);
      const done = await untilStatus(created.sessionId, 'completed');
      await expect(lifecycle.cancel(done)).rejects.toMatchObject({ code: 'invalid_transition' });
      await expect(lifecycle.resume(done, {}, 'x')).rejects.toMatchObject({ code: 'invalid_transition' });
    });

    it('makes sessions beyond the slots of a user wait, and lets them in one by one', async () => {
      let release = () => undefined as undefined;
      const gate = new Promise<void>((resolve) => {
        release = () => {
          resolve();
          return undefined;
        };
      });
      const { components } = scripted({ claims: () => gate });
      const { lifecycle } = await start(runnersOf(components), { free: 1, premium: 1 });
      const submission = submissionOf();
      const [first, second] = [newSession(submission), newSession(submission)];
      await lifecycle.accept(first, first.sessionId);
      await lifecycle.accept(second, second.sessionId);
      expect((await record(second.sessionId)).session.status).toBe('pending');
      release();
      await untilStatus(first.sessionId, 'completed');
      await untilStatus(second.sessionId, 'completed');
    });

    it('takes over a session whose process is gone, and reuses what it had done', async () => {
      const { components, runs } = scripted();
      const { lifecycle } = await start(runnersOf(components));
      const created = newSession(submissionOf());
      const lease = { owner: 'gone', until: new Date(Date.now() - 1000) };
      await insertSession(queries(), { ...created, status: 'running', lease });
      await insertCheckpoints(queries(), created.sessionId, [
        { checkpoint: SKIPPED_CLAIMS, inputHash: 'hash', configVersion: CONFIG_VERSION },
      ]);
      expect(await lifecycle.recover({ all: false })).toBe(1);
      const session = await whole(await untilStatus(created.sessionId, 'completed'));
      expect(session.skipped).toContainEqual({
        component: 'claims',
        code: 'no_text',
        reason: 'There is no text to analyse.',
        reason_ro: 'Nu există un text de analizat.',
      });
      expect(runs).toMatchObject({ techniques: 1, ai_tampered: 1, claims: 0 });
      expect(await lifecycle.recover({ all: false })).toBe(0);
    });

    it('leaves a session alone whose process lives', async () => {
      const { lifecycle } = await start(runnersOf(scripted().components));
      const created = newSession(submissionOf());
      const lease = { owner: 'alive', until: new Date(Date.now() + 60_000) };
      await insertSession(queries(), { ...created, status: 'running', lease });
      expect(await lifecycle.recover({ all: false })).toBe(0);
      await lifecycle.remove(await record(created.sessionId));
    });

    it('erases the content of a removed session and keeps that it was', async () => {
      const { lifecycle } = await start(runnersOf(scripted().components));
      const created = newSession(submissionOf());
      await lifecycle.accept(created, created.sessionId);
      await lifecycle.remove(await untilStatus(created.sessionId, 'completed'));
      expect(await findSession(queries(), created.sessionId)).toBeUndefined();
      const row = await queries()
        .selectFrom('analysis_session')
        .selectAll()
        .where('session_id', '=', created.sessionId)
        .executeTakeFirstOrThrow();
      expect(row).toMatchObject({ input_text: null, user_email: null, submission: {}, status: 'completed' });
      expect(row.deleted_at).toBeInstanceOf(Date);
      expect(await listCheckpoints(queries(), created.sessionId)).toEqual([]);
    });

    it('stores one session for one idempotency key of a user', async () => {
      const { lifecycle } = await start(runnersOf(scripted().components));
      const submission = submissionOf();
      const one = newSession(submission, { idempotencyKey: 'k', requestHash: 'a' });
      expect(await lifecycle.accept(one, one.sessionId)).toBe(true);
      const again = newSession(submission, { idempotencyKey: 'k', requestHash: 'a' });
      expect(await lifecycle.accept(again, again.sessionId)).toBe(false);
      const other = newSession(submissionOf(), { idempotencyKey: 'k', requestHash: 'a' });
      expect(await lifecycle.accept(other, other.sessionId)).toBe(true);
      await untilStatus(one.sessionId, 'completed');
      await untilStatus(other.sessionId, 'completed');
    });
  });
});
