import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/foundation/database/database.ts';
import { createAnalysisMetrics } from '../../../src/services/analysis/metrics.ts';
import type { AnalysisTables } from '../../../src/services/analysis/store/tables.ts';
import { freshHome, silent } from '../../foundation/database/engines.ts';
import { eventually } from '../../patience.ts';
import { type RunningAnalysis, startAnalysis } from './routes/running-analysis.ts';

const TEXT =
  'They are HIDING the truth! Doctors admit this one trick destroys the virus. Share before it is deleted!';

describe('metrics of a running service', () => {
  const home = freshHome();
  let database: Database;
  let service: RunningAnalysis;
  beforeAll(async () => {
    database = await openDatabase({ home: home.home, log: silent });
    service = await startAnalysis(database);
  });
  afterAll(async () => {
    await service.close();
    await database.close();
    home.remove();
  });
  const scrape = async () => String((await service.ask('GET', '/metrics', { as: null })).body).split('\n');

  it('count components, sessions and losses of the analyses that ran', async () => {
    const body = { media_type: 'text', text: TEXT };
    const { data } = (await service.ask('POST', '/api/v3/pipeline/analyze', { body })).body;
    await service.ask('POST', '/api/v3/pipeline/analyze', { body });
    const lines = await scrape();
    for (const component of ['techniques', 'ai_tampered', 'claims'])
      expect(lines).toContain(
        `limpede_analysis_component_seconds_count{component="${component}",end="ran"} 2`,
      );
    expect(lines).toContain(
      `limpede_analysis_sessions_total{status="completed",risk_level="${data.risk_level}"} 2`,
    );
    const [loss] = data.degraded;
    expect(lines).toContain(
      `limpede_analysis_degraded_total{dependency="${loss.dependency}",reason="${loss.reason}"} 2`,
    );
    for (const status of ['pending', 'processing', 'running'])
      expect(lines).toContain(`limpede_analysis_open_sessions{status="${status}"} 0`);
  });

  it('count how long messages waited, by queue, and sessions that were canceled', async () => {
    const body = { media_type: 'text', text: TEXT };
    const { data } = (await service.ask('POST', '/api/v3/pipeline/analyze-async', { body })).body;
    await eventually(async () => {
      const state = await service.ask('GET', `/api/v3/pipeline/results/${data.session_id}`);
      expect(state.status).toBe(200);
    });
    const waits = (await scrape()).filter((line) =>
      line.startsWith('limpede_analysis_queue_wait_seconds_count'),
    );
    expect(waits).toEqual(
      expect.arrayContaining(
        ['techniques', 'claims', 'ai_tampered', 'verdict'].map((queue) =>
          expect.stringMatching(new RegExp(`queue="[^"]*${queue}"\\} [1-9]`)),
        ),
      ),
    );
    await database
      .kysely<AnalysisTables>()
      .updateTable('analysis_session')
      .set({ status: 'running', owner: 'nobody' })
      .where('session_id', '=', data.session_id)
      .execute();
    for (let times = 0; times < 2; times++) {
      const canceled = await service.ask('POST', `/api/v3/pipeline/sessions/${data.session_id}/cancel`);
      expect(canceled.status).toBe(200);
    }
    expect(await scrape()).toContain(
      'limpede_analysis_sessions_total{status="canceled",risk_level="none"} 1',
    );
  });

  it('carry nothing of people, sessions or texts', async () => {
    const text = (await scrape()).filter((line) => line.startsWith('limpede_analysis_')).join('\n');
    expect(text).not.toMatch(/"ana"|clients|HIDING|[0-9a-f]{8}-[0-9a-f]{4}/);
  });
});

describe('gauges that are read when they are collected', () => {
  it('show queues and sessions as they are', async () => {
    const registry = new Registry();
    createAnalysisMetrics(registry).watch({
      queues: async () => ({ claims: { depth: 3, oldest_age_ms: 1500, in_flight: 2 } }),
      openSessions: async () => ({ running: 4 }),
    });
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'limpede_analysis_queue_depth{queue="claims"} 3',
        'limpede_analysis_queue_in_flight{queue="claims"} 2',
        'limpede_analysis_queue_oldest_seconds{queue="claims"} 1.5',
        'limpede_analysis_open_sessions{status="running"} 4',
      ]),
    );
  });

  it('are left out, and nothing else is, when they cannot be read', async () => {
    const registry = new Registry();
    const metrics = createAnalysisMetrics(registry);
    const fail = () => Promise.reject(new Error('no database'));
    metrics.watch({ queues: fail, openSessions: fail });
    metrics.component('claims', 'failed', 0.1, 2);
    const text = await registry.metrics();
    expect(text).toContain('limpede_analysis_fallbacks_total{component="claims"} 2');
    expect(text).not.toMatch(/limpede_analysis_(queue_depth|open_sessions)\{/);
  });
});
