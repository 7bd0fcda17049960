import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { CANCEL_CHANNEL } from '../../../src/services/analysis/dispatch/active-sessions.ts';
import { runDirect } from '../../../src/services/analysis/dispatch/direct.ts';
import { outcomeOf } from '../../../src/services/analysis/session/checkpoint.ts';
import { insertCheckpoints, readCheckpoints } from '../../../src/services/analysis/store/checkpoints.ts';
import {
  insertSession,
  type NewSession,
  storeMaterial,
} from '../../../src/services/analysis/store/sessions.ts';
import { startCampaign } from '../../campaign.ts';
import { describeServer, silent } from '../../foundation/database/engines.ts';
import { until } from '../../patience.ts';
import {
  CONFIG_VERSION,
  newSession,
  runnersOf,
  SKIPPED_CLAIMS,
  scripted,
  startWorkers,
  submissionOf,
  uncounted,
  untilAborted,
  type Workers,
} from './harness.ts';
import { processesOnOneServer } from './processes-on-one-server.ts';

/** A gate that holds all who wait for it until it is opened. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describeServer('several processes on one server', () => {
  const { open, start, started, queries, record, statusOf, untilStatus, countOf } = processesOnOneServer();

  const races = startCampaign('races between processes');
  const rounds = races.rounds(1, 50);
  const repeated = Array.from({ length: rounds }, (_, round) => round + 1);

  describe('slots', () => {
    it.each(repeated)('are never exceeded, however many requests and ends come at once (%i)', async () => {
      const held = gate();
      const { components } = scripted({ claims: () => held.opened });
      const slots = { free: 2, premium: 2 };
      const [one, two] = [
        await start(runnersOf(components), slots),
        await start(runnersOf(components), slots),
      ];
      const submission = submissionOf();
      const created = Array.from({ length: 12 }, () => newSession(submission));
      const { account } = submission;
      await Promise.all(
        created.map((session, index) =>
          (index % 2 === 0 ? one : two).lifecycle.accept(session, session.sessionId),
        ),
      );
      expect(await countOf(account, 'processing', 'running')).toBe(2);
      expect(await countOf(account, 'pending')).toBe(10);
      // Several concurrent reports of the end that frees one slot admit one session.
      const [open] = await queries()
        .selectFrom('analysis_session')
        .select('session_id')
        .where('status', '!=', 'pending')
        .execute();
      await one.lifecycle.cancel(await record(open?.session_id ?? ''));
      await Promise.all([one, two, one, two].map(({ lifecycle }) => lifecycle.slotFree(account)));
      expect(await countOf(account, 'processing', 'running')).toBe(2);
      held.open();
      await until(async () => (await countOf(account, 'completed')) === 11);
    });

    it('have a queue of their own length: what is beyond it is refused before anything is stored', async () => {
      const held = gate();
      const { components } = scripted({ claims: () => held.opened });
      const options = { slots: { free: 2, premium: 2 }, pendingMax: 3 };
      const [one, two] = [
        await startWorkers(await open(), runnersOf(components), options),
        await startWorkers(await open(), runnersOf(components), options),
      ];
      started.push(one, two);
      const submission = submissionOf();
      const { account } = submission;
      const created = Array.from({ length: 12 }, (_, index) =>
        newSession(submission, { idempotencyKey: `key-${index}` }),
      );
      const accept = (session: Omit<NewSession, 'status' | 'lease'>, { lifecycle }: Workers) =>
        lifecycle.accept(session, session.sessionId);
      const results = await Promise.allSettled(
        created.map((session, index) => accept(session, index % 2 === 0 ? one : two)),
      );
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      expect(refused).toHaveLength(7);
      for (const failure of refused)
        expect(failure).toMatchObject({
          code: 'rate_limited',
          status: 429,
          headers: { 'Retry-After': '30' },
        });
      expect(await countOf(account, 'processing', 'running', 'pending')).toBe(5);
      // A repetition is no further session, and another user has a queue of its own.
      const at = results.findIndex(({ status }) => status === 'fulfilled');
      expect(await accept({ ...newSession(submission), idempotencyKey: `key-${at}` }, one)).toBe(false);
      expect(await accept(newSession(submissionOf()), two)).toBe(true);
      held.open();
      await until(async () => (await countOf(account, 'completed')) === 5);
    });

    it('are needed to resume a session: canceled ones do not go past those that wait', async () => {
      const held = gate();
      const { components } = scripted({ claims: () => held.opened });
      const { lifecycle } = await start(runnersOf(components), { free: 1, premium: 1 });
      const submission = submissionOf();
      const [running, waiting] = [newSession(submission), newSession(submission)];
      for (const session of [running, waiting]) await lifecycle.accept(session, session.sessionId);
      await lifecycle.cancel(await record(waiting.sessionId));
      const resume = async () => lifecycle.resume(await record(waiting.sessionId), {}, waiting.sessionId);
      await expect(resume()).rejects.toMatchObject({ code: 'rate_limited', status: 429 });
      expect(await statusOf(waiting.sessionId)).toBe('canceled');
      held.open();
      await untilStatus(running.sessionId, 'completed');
      await resume();
      await untilStatus(waiting.sessionId, 'completed');
    });

    it('go to a waiting session although the process died that should have told it', async () => {
      const { components } = scripted();
      const { lifecycle } = await start(runnersOf(components), { free: 1, premium: 1 });
      const waiting = newSession(submissionOf());
      await insertSession(queries(), { ...waiting, status: 'pending', lease: null });
      await lifecycle.recover({ all: false });
      await untilStatus(waiting.sessionId, 'completed');
    });

    it('are not taken by analyses that run in their request', async () => {
      const { components } = scripted();
      const { lifecycle } = await start(runnersOf(components), { free: 1, premium: 1 });
      const submission = submissionOf();
      const direct = newSession(submission);
      const lease = { owner: 'elsewhere', until: new Date(Date.now() + 60_000) };
      await insertSession(queries(), { ...direct, status: 'running', lease });
      const accepted = newSession(submission);
      await lifecycle.accept(accepted, accepted.sessionId);
      await untilStatus(accepted.sessionId, 'completed');
    });
  });

  describe('stopping', () => {
    it('works from another process, and in the moment before the work begins', async () => {
      const runs: string[] = [];
      const { components } = scripted({
        claims: async ({ signal }) => {
          runs.push('begun');
          await untilAborted(signal).catch(() => runs.push('aborted'));
        },
      });
      const one = await start(runnersOf(components));
      const two = await start(runnersOf(components));
      const created = newSession(submissionOf({ components: ['claims'] }));
      await one.lifecycle.accept(created, created.sessionId);
      await until(() => runs.length > 0);
      await two.lifecycle.cancel(await record(created.sessionId));
      await one.lifecycle.cancel(await record(created.sessionId));
      await until(() => runs.at(-1) === 'aborted');
    });

    it('is heard although the connection that tells of it was cut', async () => {
      let aborted = false;
      const { components, runs } = scripted({
        claims: async ({ signal }) => {
          await untilAborted(signal).catch(() => {
            aborted = true;
          });
        },
      });
      const one = await start(runnersOf(components));
      const created = newSession(submissionOf({ components: ['claims'] }));
      await one.lifecycle.accept(created, created.sessionId);
      await until(() => runs.claims === 1);
      const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query = ${`listen "${CANCEL_CHANNEL}"`}`.execute(queries());
      expect(rows.length).toBeGreaterThan(0);
      await one.lifecycle.cancel(await record(created.sessionId));
      await until(() => aborted);
    });

    it.each(repeated)('is not missed between reading the session and working on it (%i)', async () => {
      let aborted = false;
      const { components, runs } = scripted({
        claims: async ({ signal }) => {
          await untilAborted(signal).catch(() => {
            aborted = true;
          });
        },
      });
      const created = newSession(submissionOf({ components: ['claims'] }));
      const { sessionId } = created;
      await insertSession(queries(), { ...created, status: 'processing', lease: null });
      const { broker } = await start(runnersOf(components));
      await queries()
        .transaction()
        .execute(async (transaction) => {
          await transaction
            .updateTable('analysis_session')
            .set({ status: 'canceled', cancel_requested_at: new Date() })
            .where('session_id', '=', sessionId)
            .execute();
          await sql`select pg_notify(${CANCEL_CHANNEL}, ${sessionId})`.execute(transaction);
          const body = { session_id: sessionId, step: 'claims', correlation_id: sessionId };
          await broker.publish([{ queue: 'analysis.claims', body }]);
          // The step has read the session, and waits for the row that is being cancelled here.
          await until(async () => {
            const { rows } = await sql`select 1 from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`.execute(queries());
            return rows.length > 0;
          });
        });
      await until(async () => Object.keys(await broker.depth()).length === 0);
      expect(runs.claims === 0 || aborted).toBe(true);
    });

    it('that is heard after the session was resumed does not stop it for good', async () => {
      const { components, runs } = scripted({
        claims: async ({ signal }) => {
          if (runs.claims === 1) await untilAborted(signal);
        },
      });
      const { lifecycle } = await start(runnersOf(components));
      const created = newSession(submissionOf({ components: ['claims'] }));
      await lifecycle.accept(created, created.sessionId);
      await until(() => runs.claims === 1);
      await sql`select pg_notify(${CANCEL_CHANNEL}, ${created.sessionId})`.execute(queries());
      await untilStatus(created.sessionId, 'completed');
      expect(runs.claims).toBe(2);
      const { checkpoints } = await readCheckpoints(
        queries(),
        { sessionId: created.sessionId, inputHash: 'hash' },
        silent,
      );
      expect(outcomeOf(checkpoints, 'claims')).toMatchObject({ state: 'ran' });
    });

    it('is harmless when it is asked for several times at once', async () => {
      const { components } = scripted({ claims: ({ signal }) => untilAborted(signal) });
      const one = await start(runnersOf(components));
      const created = newSession(submissionOf({ components: ['claims'] }));
      await one.lifecycle.accept(created, created.sessionId);
      await untilStatus(created.sessionId, 'running');
      const asked = await record(created.sessionId);
      const times = await Promise.all([1, 2, 3, 4].map(() => one.lifecycle.cancel(asked)));
      expect(new Set(times.map((time) => time.getTime())).size).toBe(1);
    });
  });

  describe('a removed session', () => {
    it('stays empty although a step of it ends afterwards', async () => {
      const { lifecycle } = await start(runnersOf(scripted().components), { free: 0, premium: 0 });
      const created = newSession(submissionOf());
      await lifecycle.accept(created, created.sessionId);
      await lifecycle.remove(await record(created.sessionId));
      const late = [{ checkpoint: SKIPPED_CLAIMS, inputHash: 'hash', configVersion: CONFIG_VERSION }];
      expect(await insertCheckpoints(queries(), created.sessionId, late)).toEqual([]);
      const text = { text: 'a secret', language: 'en' };
      const material = { mediaType: 'url' as const, title: 'a secret', parts: { text }, missing: {} };
      await storeMaterial(queries(), created.sessionId, material);
      const row = await queries()
        .selectFrom('analysis_session')
        .select(['input_text', 'input_title'])
        .where('session_id', '=', created.sessionId)
        .executeTakeFirstOrThrow();
      expect(row).toEqual({ input_text: null, input_title: null });
    });
  });

  describe('messages', () => {
    it('that come twice change nothing', async () => {
      const { components, runs } = scripted();
      const { lifecycle, broker } = await start(runnersOf(components));
      const created = newSession(submissionOf());
      const { sessionId } = created;
      await lifecycle.accept(created, sessionId);
      const again = ['techniques', 'claims', 'ai_tampered', 'verdict'].flatMap((step) => {
        const body = { session_id: sessionId, step, correlation_id: sessionId };
        return [
          { queue: 'analysis.results', body },
          { queue: `analysis.${step}`, body },
        ];
      });
      await untilStatus(sessionId, 'completed');
      const before = await record(sessionId);
      await broker.publish([...again, ...again]);
      await until(async () => Object.keys(await broker.depth()).length === 0);
      expect(await record(sessionId)).toEqual(before);
      expect(runs).toMatchObject({ techniques: 1, ai_tampered: 1, claims: 1 });
    });

    it('of a result that was given up still lead to the verdict', async () => {
      const { lifecycle } = await start(runnersOf(scripted().components));
      const created = newSession(submissionOf({ components: ['claims'] }));
      const { sessionId } = created;
      await insertSession(queries(), { ...created, status: 'running', lease: null });
      const row = { checkpoint: SKIPPED_CLAIMS, inputHash: 'hash', configVersion: CONFIG_VERSION };
      await insertCheckpoints(queries(), sessionId, [row]);
      const body = { session_id: sessionId, step: 'claims', correlation_id: sessionId };
      await sql`insert into broker_message (queue, priority, body, dead_after)
        values ('analysis.results.dead', 5, ${JSON.stringify(body)}::json, 3)`.execute(queries());
      await sql`select pg_notify('limpede_broker', 'analysis.results.dead')`.execute(queries());
      await untilStatus(sessionId, 'completed');
      expect(await lifecycle.recover({ all: false })).toBe(0);
    });
  });

  describe('one idempotency key', () => {
    it.each(repeated)('makes one session of twenty requests at once (%i)', async (round) => {
      const { components } = scripted();
      const [one, two] = [await start(runnersOf(components)), await start(runnersOf(components))];
      const submission = submissionOf();
      const stored = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const created = newSession(submission, { idempotencyKey: 'same', requestHash: 'same' });
          return (index % 2 === 0 ? one : two).lifecycle.accept(created, created.sessionId);
        }),
      );
      expect(stored.filter(Boolean)).toHaveLength(1);
      await until(async () => (await countOf(submission.account, 'completed')) === 1);
      if (round === rounds) races.summary(`${rounds} rounds each for slots, for one key and for stopping`);
    });
  });

  describe('the direct form', () => {
    it('is not taken over by its own process while that one still starts', async () => {
      const { lifecycle, activeSessions } = await start(runnersOf(scripted().components));
      const created = newSession(submissionOf());
      const lease = { owner: activeSessions.owner, until: activeSessions.leaseEnd() };
      await insertSession(queries(), { ...created, status: 'running', lease });
      expect(await lifecycle.recover({ all: true })).toBe(0);
      expect(await statusOf(created.sessionId)).toBe('running');
    });

    it('does not hang in a verdict that never comes', async () => {
      const runners = runnersOf(scripted().components);
      const stopping = new AbortController();
      const created = newSession(submissionOf());
      const lease = { owner: randomUUID(), until: new Date(Date.now() + 60_000) };
      await insertSession(queries(), { ...created, status: 'running', lease });
      const { sessionId } = created;
      const makeVerdict = () => {
        stopping.abort();
        return new Promise<never>(() => undefined);
      };
      const stuck = { ...runners, makeVerdict };
      const run = {
        signal: stopping.signal,
        correlationId: sessionId,
        log: silent,
        metrics: uncounted,
        owner: lease.owner,
      };
      const ended = runDirect(queries(), created, stuck, run);
      expect((await ended).map(({ step }) => step).sort()).toEqual([
        'ai_tampered',
        'claims',
        'material',
        'techniques',
      ]);
    });
  });
});
