import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const TEXT =
  'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share before it is deleted!';
const BOB = 'clients/bob/user';

forEachEngine((engine) => {
  let service: RunningAnalysis;
  let session: { session_id: string; techniques: { techniques_detected: { code: string }[] } };
  beforeAll(async () => {
    service = await startAnalysis(engine.database());
    const body = { media_type: 'text', text: TEXT };
    session = (await service.ask('POST', '/api/v3/pipeline/analyze', { body })).body.data;
  });
  afterAll(() => service.close());

  const path = () => `/api/v3/pipeline/sessions/${session.session_id}`;
  const say = (body: Record<string, unknown>, as?: string) =>
    service.ask('POST', `${path()}/feedback`, { body, ...(as !== undefined && { as }) });
  const count = async (target: string, agree: boolean) => {
    const { body } = await service.ask('GET', '/metrics', { as: null });
    const line = `limpede_analysis_feedback_total{target="${target}",agree="${agree}"} `;
    const found = String(body)
      .split('\n')
      .find((each) => each.startsWith(line));
    return found === undefined ? 0 : Number(found.slice(line.length));
  };

  describe('feedback', () => {
    it('is kept, counted once, and replaced by a second opinion of the same person', async () => {
      const first = await say({ target: 'verdict', agree: false, label: 'satire', comment: 'It is a joke.' });
      expect(first).toMatchObject({
        status: 200,
        body: {
          success: true,
          data: {
            session_id: session.session_id,
            target: 'verdict',
            agree: false,
            label: 'satire',
            comment: 'It is a joke.',
          },
        },
      });
      const second = await say({ target: 'verdict', agree: true });
      expect(second.body.data).toMatchObject({ agree: true, label: null, comment: null });
      expect(second.body.data.created_at).toBe(first.body.data.created_at);
      expect(await count('verdict', false)).toBe(1);
      expect(await count('verdict', true)).toBe(0);
    });

    it('never changes the verdict', async () => {
      const before = (await service.ask('GET', path())).body;
      await say({ target: 'verdict', agree: false, label: 'critical' });
      expect((await service.ask('GET', path())).body).toEqual(before);
    });

    it('is about items that are there, by code', async () => {
      const code = session.techniques.techniques_detected[0]?.code;
      expect(code).toBeDefined();
      expect((await say({ target: `techniques/${code}`, agree: true })).status).toBe(200);
      expect(await count('techniques', true)).toBe(1);
      for (const target of ['techniques/nothing', 'claims/none', 'domain', 'verdict/x'])
        expect(await say({ target, agree: true })).toMatchObject({
          status: 400,
          body: { error_code: 'validation_failed', details: [{ path: 'body.target' }] },
        });
    });

    it.each([
      ['nothing', {}],
      ['no opinion', { target: 'verdict' }],
      ['an unknown part', { target: 'session', agree: true }],
      ['a comment with a NUL', { target: 'verdict', agree: true, comment: 'a\0' }],
      ['a comment too long', { target: 'verdict', agree: true, comment: 'x'.repeat(2001) }],
    ])('is refused with %s', async (_case, body) => {
      expect(await say(body)).toMatchObject({ status: 400, body: { error_code: 'validation_failed' } });
    });

    it('is given on one’s own sessions, and goes with them', async () => {
      expect(await say({ target: 'verdict', agree: true }, BOB)).toMatchObject({ status: 404 });
      const rows = () =>
        engine
          .database()
          .kysely<{ session_feedback: { session_id: string } }>()
          .selectFrom('session_feedback')
          .selectAll()
          .execute();
      expect((await rows()).length).toBeGreaterThan(0);
      await service.ask('DELETE', path());
      expect(await rows()).toEqual([]);
      expect(await say({ target: 'verdict', agree: true })).toMatchObject({ status: 404 });
    });
  });
});
