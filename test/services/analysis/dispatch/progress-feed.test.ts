import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/foundation/database/database.ts';
import {
  createProgressFeed,
  type ProgressFeed,
} from '../../../../src/services/analysis/dispatch/progress-feed.ts';
import { componentStarted, statusChanged } from '../../../../src/services/analysis/session/progress-event.ts';
import { migrations } from '../../../../src/services/analysis/store/migrations.ts';
import {
  insertEvents,
  type StoredProgressEvent,
} from '../../../../src/services/analysis/store/progress-events.ts';
import {
  eraseSession,
  insertSession,
  moveSession,
} from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine, silent } from '../../../foundation/database/engines.ts';
import { pause, until } from '../../../patience.ts';
import { newSession, submissionOf } from '../harness.ts';

forEachEngine((engine) => {
  const queries = () => engine.database().kysely<AnalysisTables>();
  let feed: ProgressFeed;
  /** Statements that read progress, counted through the feed's own database. */
  let reads = 0;

  beforeEach(async () => {
    await engine.database().migrate('analysis', migrations);
    const database = engine.database();
    const counting: Database = {
      ...database,
      kysely: <Tables>() =>
        database.kysely<Tables>().withPlugin({
          transformQuery: ({ node }) => node,
          transformResult: async ({ result }) => {
            reads++;
            return result;
          },
        }),
    };
    reads = 0;
    feed = createProgressFeed(counting, silent);
  });
  afterEach(() => feed.close());

  const start = async () => {
    const created = newSession(submissionOf());
    await insertSession(queries(), { ...created, status: 'processing', lease: null });
    return created.sessionId;
  };
  const never = () => new AbortController().signal;
  const collect = async (
    events: AsyncIterable<StoredProgressEvent>,
    all: StoredProgressEvent[] = [],
  ): Promise<StoredProgressEvent[]> => {
    for await (const event of events) all.push(event);
    return all;
  };
  /** Follows a session from its first event, and has seen that many when it is answered. */
  const followed = async (sessionId: string, count: number, signal: AbortSignal = never()) => {
    const seen: StoredProgressEvent[] = [];
    const whole = collect(feed.follow(sessionId, 0, signal), seen);
    await until(() => seen.length >= count);
    return { whole };
  };
  const names = (events: readonly StoredProgressEvent[]) =>
    events.map(({ event }) =>
      'component' in event.data
        ? `${event.event} ${event.data.component}`
        : `${event.event} ${'status' in event.data ? event.data.status : ''}`,
    );

  describe('a followed session', () => {
    it('shows what was and what comes, until it is final', async () => {
      const sessionId = await start();
      await insertEvents(queries(), sessionId, [componentStarted('claims')]);
      const { whole } = await followed(sessionId, 2);
      await moveSession(queries(), sessionId, 'step_started', 'running');
      await insertEvents(queries(), sessionId, [componentStarted('domain'), componentStarted('techniques')]);
      await moveSession(queries(), sessionId, 'impossible', 'failed', { error_code: 'internal_error' });
      const events = await whole;
      expect(names(events)).toEqual([
        'session.status processing',
        'component.started claims',
        'session.status running',
        'component.started domain',
        'component.started techniques',
        'session.status failed',
      ]);
      const ids = events.map(({ id }) => id);
      expect(ids).toEqual([...ids].sort((one, other) => one - other));
      expect(events.at(-1)?.event.data).toEqual({ status: 'failed', error_code: 'internal_error' });
      expect(events.every(({ at }) => at instanceof Date)).toBe(true);
    });

    it('goes on after any event, without loss or repetition', async () => {
      const sessionId = await start();
      await insertEvents(queries(), sessionId, [componentStarted('claims'), componentStarted('domain')]);
      await moveSession(queries(), sessionId, 'cancel', 'canceled');
      const whole = await collect(feed.follow(sessionId, 0, never()));
      expect(whole).toHaveLength(4);
      for (const [place, { id }] of whole.entries())
        expect(await collect(feed.follow(sessionId, id, never()))).toEqual(whole.slice(place + 1));
      expect(await collect(feed.follow(sessionId, Number.MAX_SAFE_INTEGER, never()))).toEqual([]);
    });

    it('ends for all when it is deleted, and shows nothing of it afterwards', async () => {
      const sessionId = await start();
      const { whole } = await followed(sessionId, 1);
      await queries()
        .transaction()
        .execute(async (change) => {
          await moveSession(change, sessionId, 'cancel', 'canceled');
          await eraseSession(change, sessionId, new Date());
        });
      expect(names(await whole)).toEqual(['session.status processing']);
      expect(await collect(feed.follow(sessionId, 0, never()))).toEqual([]);
    });

    it('is let go by a follower who leaves', async () => {
      const sessionId = await start();
      const leaving = new AbortController();
      const { whole } = await followed(sessionId, 1, leaving.signal);
      leaving.abort();
      expect(names(await whole)).toEqual(['session.status processing']);
      expect(await collect(feed.follow(sessionId, 0, AbortSignal.abort()))).toEqual([]);
    });

    it('is read once for all who follow it', async () => {
      const sessionId = await start();
      const readings = await Promise.all(Array.from({ length: 200 }, () => followed(sessionId, 1)));
      for (const component of ['claims', 'domain'] as const)
        await insertEvents(queries(), sessionId, [componentStarted(component)]);
      await moveSession(queries(), sessionId, 'cancel', 'canceled');
      const all = await Promise.all(readings.map(({ whole }) => whole));
      expect(new Set(all.map((events) => JSON.stringify(names(events)))).size).toBe(1);
      expect(all[0]).toHaveLength(4);
      // A few looks of the feed, not some for each follower.
      expect(reads).toBeLessThan(30);
    });

    it('gets no event after its end', async () => {
      const sessionId = await start();
      await moveSession(queries(), sessionId, 'cancel', 'canceled');
      await insertEvents(queries(), sessionId, [statusChanged('running')]);
      expect(names(await collect(feed.follow(sessionId, 0, never())))).toEqual([
        'session.status processing',
        'session.status canceled',
      ]);
    });

    it('passes over no event of writers that commit in another order', async () => {
      const sessionId = await start();
      const reading = collect(feed.follow(sessionId, 0, never()));
      const writers = Array.from({ length: 20 }, () =>
        queries()
          .transaction()
          .execute(async (change) => {
            await insertEvents(change, sessionId, [componentStarted('claims')]);
            await pause(Math.random() * 5);
          }),
      );
      await Promise.all(writers);
      await moveSession(queries(), sessionId, 'cancel', 'canceled');
      expect(await reading).toHaveLength(22);
    });
  });
});
