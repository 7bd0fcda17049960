import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEvents } from '../../../../src/foundation/client/event-parser.ts';
import { accountOf } from '../../../../src/services/analysis/pipeline/intake.ts';
import { COMPONENTS } from '../../../../src/services/analysis/resources/component-name.ts';
import { progressEvents } from '../../../../src/services/analysis/resources/progress-event.ts';
import { insertCheckpoints } from '../../../../src/services/analysis/store/checkpoints.ts';
import { insertSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { CONFIG_VERSION, newSession, SKIPPED_CLAIMS, submissionOf } from '../harness.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const TEXT =
  'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share before it is deleted!';
const MODERATOR = 'admins/mara/moderator';

interface SeenEvent {
  readonly event: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
}

forEachEngine((engine) => {
  let service: RunningAnalysis;
  beforeAll(async () => {
    service = await startAnalysis(engine.database());
  });
  afterAll(() => service.close());

  const path = (sessionId: string) => `/api/v3/pipeline/sessions/${sessionId}/events`;

  /** All events of a final session, each checked by the contract. */
  async function events(sessionId: string, lastEventId?: string, as?: string): Promise<SeenEvent[]> {
    const { body, headers } = await service.ask('GET', path(sessionId), {
      ...(as !== undefined && { as }),
      ...(lastEventId !== undefined && { headers: { 'last-event-id': lastEventId } }),
    });
    expect(headers['content-type']).toContain('text/event-stream');
    const all: SeenEvent[] = [];
    const pieces = (async function* () {
      yield Buffer.from(body);
    })();
    for await (const { event, data, id } of parseEvents(pieces, 100_000)) {
      const schema = progressEvents[event as keyof typeof progressEvents];
      expect(schema, event).toBeDefined();
      all.push({ event, id, data: schema.parse(JSON.parse(data)) });
    }
    return all;
  }

  const analyze = async (more: Record<string, unknown> = {}, form = 'analyze') => {
    const { body } = await service.ask('POST', `/api/v3/pipeline/${form}`, {
      body: { media_type: 'text', text: TEXT, ...more },
    });
    return body.data.session_id as string;
  };
  const ended = async (sessionId: string, status = 'completed') => {
    await expect
      .poll(
        async () =>
          (await service.ask('GET', `/api/v3/pipeline/sessions/${sessionId}/status`)).body.data.status,
      )
      .toBe(status);
  };
  const names = (all: readonly SeenEvent[]) => all.map(({ event }) => event);

  describe('the events of a session', () => {
    it.each(['analyze', 'analyze-async'])('of %s tell its progress in order', async (form) => {
      const sessionId = await analyze({}, form);
      await ended(sessionId);
      const all = await events(sessionId);
      const ids = all.map(({ id }) => Number(id));
      expect(ids).toEqual([...ids].sort((one, other) => one - other));
      expect(new Set(ids).size).toBe(ids.length);
      expect(names(all)[0]).toBe('session.status');
      expect(names(all).slice(-2)).toEqual(['verdict.final', 'session.status']);
      expect(all.at(-1)?.data).toMatchObject({
        session_id: sessionId,
        status: 'completed',
        error_code: null,
      });
      const { body } = await service.ask('GET', `/api/v3/pipeline/sessions/${sessionId}`);
      expect(all.at(-2)?.data).toMatchObject({
        revision: 1,
        risk_score: body.data.risk_score,
        risk_category: body.data.risk_category,
        confidence: body.data.confidence,
      });
      const statuses = all.filter(({ event }) => event === 'session.status').map(({ data }) => data.status);
      expect(statuses).toEqual(
        form === 'analyze' ? ['running', 'completed'] : ['processing', 'running', 'completed'],
      );
      for (const component of COMPONENTS.filter((name) => name !== 'domain')) {
        const own = all.filter(({ data }) => data.component === component);
        expect(names(own).filter((name) => name !== 'component.degraded')).toEqual([
          'component.started',
          'component.completed',
        ]);
        expect(own.at(-1)?.data).toMatchObject({ status: 'ran', code: null });
      }
    });

    it('can be read on from any of them', async () => {
      const sessionId = await analyze();
      const whole = await events(sessionId);
      for (const [place, { id }] of whole.entries())
        expect(await events(sessionId, id)).toEqual(whole.slice(place + 1));
      for (const odd of ['', '-1', 'abc', '1.5', '99999999999999999999'])
        expect(await events(sessionId, odd)).toEqual(whole);
    });

    it('name a dependency that was lost or is off, with a sentence in both languages', async () => {
      const all = await events(await analyze());
      const degraded = all.filter(({ event }) => event === 'component.degraded');
      const { body } = await service.ask('GET', '/api/v3/pipeline/history?limit=1');
      expect(degraded.length > 0).toBe(body.data.items[0].degraded.length > 0);
      for (const { data } of degraded)
        expect(data).toMatchObject({
          message: expect.stringMatching(/\.$/),
          message_ro: expect.stringMatching(/\.$/),
        });
    });

    it('end with the last status of a session that was canceled, whatever ends later', async () => {
      // No step of it is published: nothing ends it before it is canceled.
      const created = newSession(submissionOf({ account: accountOf('clients', 'ana') }));
      const queries = engine.database().kysely<AnalysisTables>();
      await insertSession(queries, { ...created, status: 'processing', lease: null });
      const { sessionId } = created;
      await service.ask('POST', `/api/v3/pipeline/sessions/${sessionId}/cancel`, { body: {} });
      await insertCheckpoints(queries, sessionId, [
        { checkpoint: SKIPPED_CLAIMS, inputHash: 'hash', configVersion: CONFIG_VERSION },
      ]);
      const all = await events(sessionId);
      expect(all.at(-1)).toMatchObject({ event: 'session.status', data: { status: 'canceled' } });
      await service.ask('POST', `/api/v3/pipeline/sessions/${sessionId}/resume`, { body: {} });
      await ended(sessionId);
      const resumed = await events(sessionId, all.at(-1)?.id);
      expect(resumed[0]?.data).toMatchObject({ status: 'processing' });
      expect(names(resumed).slice(-2)).toEqual(['verdict.final', 'session.status']);
      expect(names(resumed).filter((name) => name === 'verdict.final')).toHaveLength(1);
    });

    it('tell of a corrected verdict', async () => {
      const sessionId = await analyze({ user_flagged: true });
      const { body } = await service.ask('GET', '/api/v3/moderation/queue?status=pending&limit=100', {
        as: MODERATOR,
      });
      const entry = body.data.items.find(
        ({ session_id }: { session_id: string }) => session_id === sessionId,
      );
      const queue = `/api/v3/moderation/queue/${entry.queue_id}`;
      await service.ask('POST', `${queue}/claim`, { as: MODERATOR, body: {} });
      const corrections = { verdict: { risk_score: 77 } };
      const resolved = await service.ask('POST', `${queue}/resolve`, {
        as: MODERATOR,
        body: { action: 'corrected', corrections, notes: 'read it' },
      });
      expect(resolved.status).toBe(200);
      const all = await events(sessionId);
      expect(names(all).slice(-4)).toEqual([
        'verdict.final',
        'session.status',
        'verdict.final',
        'session.status',
      ]);
      expect(all.at(-2)?.data).toMatchObject({ revision: 2, risk_score: 77 });
    });

    it('are nobody else’s, and go with the session', async () => {
      const sessionId = await analyze();
      const other = await service.ask('GET', path(sessionId), { as: 'clients/ion/user' });
      expect([other.status, other.body.error_code]).toEqual([404, 'session_not_found']);
      expect((await service.ask('GET', path(sessionId), { as: null })).status).toBe(401);
      expect((await service.ask('GET', path('no-id'))).status).toBe(404);
      await service.ask('DELETE', `/api/v3/pipeline/sessions/${sessionId}`);
      expect((await service.ask('GET', path(sessionId))).status).toBe(404);
      const queries = engine.database().kysely<AnalysisTables>();
      const rows = queries.selectFrom('analysis_progress').selectAll().where('session_id', '=', sessionId);
      expect(await rows.execute()).toEqual([]);
    });
  });
});
