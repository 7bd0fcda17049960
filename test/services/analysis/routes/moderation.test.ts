import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moderationOperations } from '../../../../src/services/analysis/contract/moderation.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { ADMIN, type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const QUEUE = '/api/v3/moderation/queue';
const TEXT =
  'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share before it is deleted!';
const MODERATOR = 'admins/mara/moderator';
const OTHER = 'admins/dan/moderator';
const SENIOR = 'admins/sara/senior_moderator';

/** Races for one entry; each has eight people. */
const RACES = process.env.LIMPEDE_TEST_LONG === undefined ? 25 : 500;

forEachEngine((engine) => {
  let service: RunningAnalysis;

  beforeAll(async () => {
    service = await startAnalysis(engine.database());
  });
  afterAll(() => service.close());

  const post = (path: string, as: string, body?: unknown) => service.ask('POST', path, { as, body });
  const get = (path: string, as: string) => service.ask('GET', path, { as });

  /** A flagged session; its entry of the queue. */
  async function flagged(more: Record<string, unknown> = {}) {
    const { body } = await service.ask('POST', '/api/v3/pipeline/analyze', {
      body: { media_type: 'text', text: TEXT, user_flagged: true, ...more },
    });
    const sessionId: string = body.data.session_id;
    const { body: list } = await get(`${QUEUE}?status=pending&limit=100`, MODERATOR);
    const entry = list.data.items.find(({ session_id }: { session_id: string }) => session_id === sessionId);
    return { sessionId, entry, path: `${QUEUE}/${entry?.queue_id}` };
  }

  /** Empties the queue, so that the next entry is a known one. */
  async function drain(): Promise<void> {
    for (;;) {
      const { status, body } = await post(`${QUEUE}/next`, MODERATOR);
      if (status === 404) return;
      await post(`${QUEUE}/${body.data.queue_id}/decline`, MODERATOR, { reason: 'test' });
    }
  }

  it('puts a flagged session into the queue, most urgent', async () => {
    const { entry, sessionId } = await flagged();
    expect(entry).toMatchObject({
      session_id: sessionId,
      priority: 1,
      enqueue_reason: 'flagged',
      status: 'pending',
      assigned_to: null,
      resolution_action: null,
      time_in_review_ms: null,
      version: 1,
    });
    expect(entry.enqueue_meta.reasons[0]).toBe('flagged');
  });

  it('leaves an ordinary session of one component out', async () => {
    const { body } = await service.ask('POST', '/api/v3/pipeline/analyze', {
      body: { media_type: 'text', text: TEXT, components: ['claims'] },
    });
    const { body: list } = await get(`${QUEUE}?limit=100`, MODERATOR);
    const sessions = list.data.items.map(({ session_id }: { session_id: string }) => session_id);
    expect(sessions).not.toContain(body.data.session_id);
  });

  it('queues a flagged asynchronous session when it is accepted, and closes its entry when it is deleted', async () => {
    const { body } = await service.ask('POST', '/api/v3/pipeline/analyze-async', {
      body: { media_type: 'text', text: TEXT, user_flagged: true },
    });
    const sessionId: string = body.data.session_id;
    const listed = async () => {
      const { body: list } = await get(`${QUEUE}?limit=100`, MODERATOR);
      return list.data.items.find(({ session_id }: { session_id: string }) => session_id === sessionId);
    };
    const entry = await listed();
    expect(entry).toMatchObject({ status: 'pending', enqueue_reason: 'flagged' });
    expect((await service.ask('DELETE', `/api/v3/pipeline/sessions/${sessionId}`)).status).toBe(200);
    expect(await listed()).toMatchObject({ status: 'auto_closed' });
    const reopened = await post(`${QUEUE}/${entry.queue_id}/reopen`, SENIOR, { reason: 'once more' });
    expect(reopened).toMatchObject({ status: 409, body: { error_code: 'invalid_transition' } });
    const { body: whole } = await get(`${QUEUE}/${entry.queue_id}`, MODERATOR);
    expect(whole.data.session).toBeNull();
  });

  it('goes the whole way: claim, renew, release, claim, approve, reopen, decline', async () => {
    const { path } = await flagged();
    expect(await post(`${path}/claim`, MODERATOR, { lease_sec: 60 })).toMatchObject({
      status: 200,
      body: { success: true, data: { status: 'in_review', assigned_to: 'mara', version: 2 } },
    });
    for (const as of [MODERATOR, OTHER]) {
      expect(await post(`${path}/claim`, as)).toMatchObject({
        status: 409,
        body: { error_code: 'entry_already_claimed' },
      });
    }
    for (const step of ['renew', 'release', 'resolve', 'decline']) {
      const body = step === 'resolve' ? { action: 'approved' } : { reason: 'no' };
      expect(await post(`${path}/${step}`, OTHER, body)).toMatchObject({
        status: 409,
        body: { error_code: 'entry_already_claimed' },
      });
    }
    expect((await post(`${path}/renew`, MODERATOR, { lease_sec: 120 })).status).toBe(200);
    expect((await post(`${path}/release`, MODERATOR, { reason: 'lunch' })).body.data.status).toBe('pending');
    expect((await post(`${path}/claim`, OTHER)).status).toBe(200);
    const stale = await post(`${path}/resolve`, OTHER, { action: 'approved', version: 2 });
    expect(stale).toMatchObject({ status: 409, body: { error_code: 'version_conflict' } });
    const resolved = await post(`${path}/resolve`, OTHER, { action: 'approved', notes: 'right', version: 4 });
    expect(resolved.body.data).toMatchObject({
      status: 'resolved',
      resolution_action: 'approved',
      resolved_by: 'dan',
    });
    expect(resolved.body.data.time_in_review_ms).toBeGreaterThanOrEqual(0);
    expect(await post(`${path}/reopen`, MODERATOR, { reason: 'x' })).toMatchObject({ status: 403 });
    expect((await post(`${path}/reopen`, SENIOR, { reason: 'second look' })).body.data).toMatchObject({
      status: 'pending',
      resolution_action: null,
      resolved_by: null,
    });
    expect((await post(`${path}/decline`, MODERATOR, { reason: 'spam' })).body.data.status).toBe('declined');
    const { body: log } = await get(`${path}/activity`, 'admins/aud/auditor');
    expect(
      log.data.items.map((row: Record<string, unknown>) => [
        row.action,
        row.previous_status,
        row.status,
        row.actor,
      ]),
    ).toEqual([
      ['enqueue', null, 'pending', 'system'],
      ['claim', 'pending', 'in_review', 'mara'],
      ['release', 'in_review', 'pending', 'mara'],
      ['claim', 'pending', 'in_review', 'dan'],
      ['approved', 'in_review', 'resolved', 'dan'],
      ['reopen', 'resolved', 'pending', 'sara'],
      ['decline', 'pending', 'declined', 'mara'],
    ]);
  });

  it('ends a lease that its holder let run out', async () => {
    const { path } = await flagged();
    await post(`${path}/claim`, MODERATOR, { lease_sec: 1 });
    await engine
      .database()
      .kysely<{ moderation_entry: { lease_until: Date; status: string } }>()
      .updateTable('moderation_entry')
      .set({ lease_until: new Date(0) })
      .where('status', '=', 'in_review')
      .execute();
    expect(await post(`${path}/resolve`, MODERATOR, { action: 'approved' })).toMatchObject({
      status: 409,
      body: { error_code: 'entry_already_claimed' },
    });
    expect((await post(`${path}/claim`, OTHER)).body.data).toMatchObject({ assigned_to: 'dan' });
    const { body } = await get(path, OTHER);
    expect(body.data.activities.map(({ action }: { action: string }) => action)).toContain('lease_ended');
  });

  it('corrects: a new revision is the result, the automatic one stays', async () => {
    const { path, sessionId } = await flagged();
    await post(`${path}/claim`, MODERATOR);
    const before = (await service.ask('GET', `/api/v3/pipeline/sessions/${sessionId}`)).body.data;
    const refused = await post(`${path}/resolve`, MODERATOR, {
      action: 'corrected',
      corrections: { techniques: { nonsense: 1 } },
    });
    expect(refused).toMatchObject({ status: 400, body: { error_code: 'validation_failed' } });
    for (const more of [{}, { corrections: {} }, { correction: { verdict: { risk_score: 1 } } }])
      expect(await post(`${path}/resolve`, MODERATOR, { action: 'corrected', ...more })).toMatchObject({
        status: 400,
        body: { error_code: 'validation_failed', details: [{ path: 'body.corrections' }] },
      });
    const resolved = await post(`${path}/resolve`, MODERATOR, {
      action: 'corrected',
      notes: 'satire',
      corrections: { techniques: { techniques_detected: [], diffuse_evidence: null } },
    });
    expect(resolved.body.data.status).toBe('resolved');
    const read = `/api/v3/pipeline/sessions/${sessionId}?include=revisions`;
    const after = (await service.ask('GET', read)).body.data;
    expect(after.revision).toBe(2);
    expect(after.techniques).toMatchObject({ manipulation_score: 0, techniques_detected: [] });
    expect(after.verdict.score_manipulation).toBe(0);
    expect(after.risk_score).toBe(after.verdict.risk_score);
    expect(after.risk_score).toBeLessThan(before.risk_score);
    expect(after.revisions.map(({ revision }: { revision: number }) => revision)).toEqual([1, 2]);
    expect(after.revisions[0].verdict).toEqual(before.verdict);
    expect(after.revisions[1]).toMatchObject({ actor: 'mara', reason: 'satire', verdict: after.verdict });
    const { body: history } = await service.ask('GET', '/api/v3/pipeline/history?limit=100');
    const listed = history.data.items.find(
      ({ session_id }: { session_id: string }) => session_id === sessionId,
    );
    expect(listed).toMatchObject({ risk_score: after.risk_score, revision: 2 });
  });

  it('takes the score that a person decided, with its band and the arithmetic that leads there', async () => {
    const { path, sessionId } = await flagged();
    await post(`${path}/claim`, MODERATOR);
    await post(`${path}/resolve`, MODERATOR, {
      action: 'corrected',
      corrections: { verdict: { risk_score: 88 } },
    });
    const { verdict, risk_score } = (await service.ask('GET', `/api/v3/pipeline/sessions/${sessionId}`)).body
      .data;
    expect(risk_score).toBe(88);
    expect(verdict).toMatchObject({
      risk_score: 88,
      override_type: 'human_ground_truth',
      override_applied: true,
    });
    const sum = Object.entries(verdict.applied_weights as Record<string, number>).reduce(
      (total, [name, weight]) => total + weight * (verdict[`score_${name}`] ?? 0),
      0,
    );
    expect(verdict.risk_score - sum).toBeCloseTo(verdict.override_adjustment, 1);
  });

  it('gives the most urgent entry to exactly one of those who ask for it', async () => {
    await drain();
    const people = Array.from({ length: 8 }, (_, index) => `admins/racer-${index}/moderator`);
    const { path } = await flagged();
    for (let race = 0; race < RACES; race += 1) {
      const answers = await Promise.all(
        people.map((as, index) => post(index % 2 === 0 ? `${QUEUE}/next` : `${path}/claim`, as)),
      );
      const winners = answers.flatMap(({ status }, index) => (status === 200 ? [people[index] ?? ''] : []));
      expect(winners).toHaveLength(1);
      expect((await post(`${path}/release`, winners[0] ?? '')).status).toBe(200);
    }
    await drain();
    expect(await post(`${QUEUE}/next`, MODERATOR)).toMatchObject({
      status: 404,
      body: { error_code: 'queue_empty' },
    });
  });

  it('counts what waits and how reviews went', async () => {
    const { body } = await get(`${QUEUE}/stats`, 'admins/aud/auditor');
    expect(body.data.pending).toBeGreaterThanOrEqual(0);
    expect(body.data.overturn_rate).toBeGreaterThan(0);
    expect(body.data.overturn_rate).toBeLessThanOrEqual(1);
    expect(body.data.resolved_per_day).toHaveLength(1);
    expect(body.data.median_review_ms).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['an entry that does not exist', 'GET', `${QUEUE}/999999`, undefined, 404, 'queue_entry_not_found'],
    ['an entry that is no number', 'GET', `${QUEUE}/abc`, undefined, 400, 'validation_failed'],
    ['a lease of no time', 'POST', `${QUEUE}/next`, { lease_sec: 0 }, 400, 'validation_failed'],
    ['a lease of more than an hour', 'POST', `${QUEUE}/next`, { lease_sec: 3601 }, 400, 'validation_failed'],
    ['a decision without an action', 'POST', `${QUEUE}/1/resolve`, {}, 400, 'validation_failed'],
    ['an unknown action', 'POST', `${QUEUE}/1/resolve`, { action: 'burned' }, 400, 'validation_failed'],
    ['a decline without a reason', 'POST', `${QUEUE}/1/decline`, {}, 400, 'validation_failed'],
    ['a filter that is none', 'GET', `${QUEUE}?status=lost`, undefined, 400, 'validation_failed'],
  ] as const)('refuses %s', async (_name, method, path, body, status, code) => {
    const answer = await service.ask(method, path, { as: MODERATOR, ...(body !== undefined && { body }) });
    expect(answer).toMatchObject({ status, body: { success: false, error_code: code } });
  });

  describe('who may do what', () => {
    const roles = ['user', 'auditor', 'moderator', 'senior_moderator', 'admin'];
    const bodies: Record<string, unknown> = {
      moderationResolve: { action: 'approved' },
      moderationDecline: { reason: 'x' },
      moderationReopen: { reason: 'x' },
    };
    const table = Object.entries(moderationOperations).flatMap(([name, operation]) =>
      roles.map(
        (role) =>
          [name, operation, role, (operation.access.roles as readonly string[]).includes(role)] as const,
      ),
    );
    it.each(table.map(([name, operation, role, allowed]) => [name, role, allowed, operation] as const))(
      '%s as %s: %s',
      async (name, role, allowed, operation) => {
        const path = operation.path.replace('{queueId}', '999999');
        const body = operation.method === 'POST' ? (bodies[name] ?? {}) : undefined;
        const answer = await service.ask(operation.method, path, { as: `admins/p/${role}`, body });
        if (allowed) expect(answer.status).not.toBe(403);
        else expect(answer).toMatchObject({ status: 403, body: { error_code: 'forbidden_role' } });
      },
    );
  });

  it('is for staff only', async () => {
    expect((await get(QUEUE, ADMIN)).status).toBe(200);
    expect((await get(QUEUE, 'clients/ana/user')).status).toBe(403);
  });
});
