import { describe, expect, it } from 'vitest';
import { runDirect } from '../../../../src/services/analysis/dispatch/direct.ts';
import type { StepRunners } from '../../../../src/services/analysis/pipeline/run.ts';
import { migrations } from '../../../../src/services/analysis/store/migrations.ts';
import { insertSession } from '../../../../src/services/analysis/store/sessions.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { forEachEngine, silent } from '../../../foundation/database/engines.ts';
import {
  BLOCKS,
  newSession,
  runnersOf,
  scripted,
  submissionOf,
  uncounted,
  untilAborted,
} from '../harness.ts';
import { storedSessions } from './stored-sessions.ts';

forEachEngine((engine) => {
  const queries = () => engine.database().kysely<AnalysisTables>();
  const { record, whole } = storedSessions(queries);

  const direct = async (runners: StepRunners, created = newSession(submissionOf())) => {
    await engine.database().migrate('analysis', migrations);
    const lease = { owner: 'test', until: new Date(Date.now() + 60_000) };
    await insertSession(queries(), { ...created, status: 'running', lease });
    const { sessionId } = created;
    const run = {
      signal: new AbortController().signal,
      correlationId: sessionId,
      log: silent,
      metrics: uncounted,
      owner: 'test',
    };
    await runDirect(queries(), created, runners, run);
    return whole(await record(sessionId));
  };

  describe('the direct form', () => {
    it('runs every component once and stores the whole record', async () => {
      const { components, runs } = scripted();
      const session = await direct(runnersOf(components));
      expect(session).toMatchObject({
        status: 'completed',
        risk_score: 12.5,
        topic_applied: 'elections',
        components_run: ['techniques', 'ai_tampered', 'claims'],
        components_skipped: ['domain'],
        techniques: BLOCKS.techniques,
        domain: null,
        input_language: 'en',
        api_version: 'v3',
      });
      expect(runs).toEqual({ techniques: 1, ai_tampered: 1, claims: 1, domain: 0 });
      expect(session.total_duration_ms).toBeGreaterThanOrEqual(0);
    });

    it('completes without a component that throws, and without one that overruns', async () => {
      const { components } = scripted({
        claims: async () => {
          throw new Error('broken');
        },
        ai_tampered: ({ signal }) => untilAborted(signal),
      });
      const created = newSession(submissionOf());
      const steps = created.plan.steps.map((step) => ({ ...step, timeoutMs: 60 }));
      const session = await direct(runnersOf(components), { ...created, plan: { ...created.plan, steps } });
      expect(session.status).toBe('completed');
      expect(session.components_run).toEqual(['techniques']);
      expect(session.degraded).toMatchObject([
        { dependency: 'ai_tampered', reason: 'timeout', effect: 'component_lost' },
        { dependency: 'claims', reason: 'unavailable', effect: 'component_lost' },
      ]);
      expect(session.skipped).toMatchObject([
        { component: 'domain', code: 'no_web_address' },
        {
          component: 'ai_tampered',
          code: 'no_answer_in_time',
          reason_ro: 'Nu a venit niciun răspuns în 0,06 s.',
        },
        { component: 'claims', code: 'component_failed' },
      ]);
    });

    it('leaves a session alone that another process took up meanwhile', async () => {
      const { components } = scripted({
        claims: async () => {
          await queries().updateTable('analysis_session').set({ owner: null }).execute();
        },
      });
      expect(await direct(runnersOf(components))).toMatchObject({ status: 'running', risk_score: null });
    });

    it('judges the source of a page that cannot be read', async () => {
      const { components, runs } = scripted();
      const submission = submissionOf({ mediaType: 'url', text: null, url: 'https://example.org/a' });
      const session = await direct(runnersOf(components), newSession(submission));
      expect(session.components_run).toEqual(['domain']);
      expect(session.skipped.map(({ component, code }) => `${component}: ${code}`)).toContain(
        'claims: web_service_off',
      );
      expect(runs.techniques).toBe(0);
    });

    it('stores the text and title of a page', async () => {
      const page = {
        url: 'https://example.org/b',
        text: 'The text of the page, long enough.\0',
        title: 'A title',
        publisher: null,
        author: null,
        published_at: null,
        images: [],
        flags: [],
      };
      const submission = submissionOf({ mediaType: 'url', text: null, url: 'https://example.org/a' });
      const session = await direct(
        runnersOf(scripted().components, async () => ({ page })),
        newSession(submission),
      );
      expect(session).toMatchObject({
        input_title: 'A title',
        input_text: 'The text of the page, long enough.\ufffd',
      });
      expect(session.components_run).toHaveLength(4);
    });
  });
});
