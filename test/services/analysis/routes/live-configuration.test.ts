import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseSettings } from '../../../../src/foundation/settings.ts';
import { analysisSettings } from '../../../../src/services/analysis/settings.ts';
import { analysisLiveSettings, analysisTunables } from '../../../../src/services/analysis/tunables.ts';
import { openConfiguration } from '../../../foundation/configuration/open-configuration.ts';
import { forEachEngine, silent } from '../../../foundation/database/engines.ts';
import { eventually } from '../../../patience.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const TEXT =
  'Rușine! Acești trădători mincinoși vor să ne distrugă țara! Guvernul minte. Inflația a crescut cu 12% în 2023. ' +
  'Populația României a scăzut cu 200.000 de oameni în 2022. Treziți-vă acum, până nu e prea târziu!';

forEachEngine((engine) => {
  let analysis: RunningAnalysis;
  let staff: Awaited<ReturnType<typeof openConfiguration>>;
  const settings = parseSettings(analysisSettings, {});
  const tunables = [...analysisTunables, ...analysisLiveSettings.map((setting) => setting.of(settings))];
  beforeAll(async () => {
    // It works on no queue: what it accepts waits for a worker.
    analysis = await startAnalysis(engine.database(), { ANALYSIS_ROLE: 'api' });
    staff = await openConfiguration(engine.database(), tunables, silent);
  });
  afterAll(async () => {
    await Promise.all([analysis.close(), staff.close()]);
  });

  const config = async (group: string) => (await analysis.ask('GET', `/api/v3/${group}/config`)).body.data;
  const shown = async (group: string, key: string) =>
    (await config(group)).tunables.find((each: { key: string }) => each.key === key);
  /** Sets a value as another process does; resolves when the service has heard of it. */
  const set = async (key: string, value: unknown) => {
    const tunable = tunables.find((each) => each.key === key);
    if (tunable === undefined) throw new Error(`there is no ${key}`);
    const { version } = await staff.change(tunable, value, 'maria');
    await eventually(async () => expect((await config('claims')).config_version).toBe(version));
    return version;
  };
  const analyse = async (media = 'text') => {
    const body = { media_type: media, text: TEXT };
    return (await analysis.ask('POST', '/api/v3/pipeline/analyze', { body })).body.data;
  };

  it('shows every value in the group of its component, those of all in every group', async () => {
    const groups = ['techniques', 'ai-tampered', 'claims', 'source-assessment'];
    const configs = await Promise.all(groups.map(config));
    const keys = new Set(
      configs.flatMap(({ tunables: rows }) => rows.map(({ key }: { key: string }) => key)),
    );
    expect([...keys].sort()).toEqual(tunables.map(({ key }) => key).sort());
    expect(await shown('techniques', 'analysis.claims.most_claims')).toBeUndefined();
    expect(await shown('source-assessment', 'analysis.slots_free')).toMatchObject({ value: 8, default: 8 });
  });

  it('gives sessions the values of the moment in which they were accepted, and their version', async () => {
    const first = await analyse();
    expect(first.claims.claims_verified.length).toBeGreaterThan(1);
    const version = await set('analysis.claims.most_claims', 1);
    await set('analysis.techniques.least_confidence', 0.95);
    expect(await shown('claims', 'analysis.claims.most_claims')).toMatchObject({ value: 1, version: 1 });
    const second = await analyse();
    expect(second.config_version).toBe(version + 1);
    expect(second.claims.claims_verified).toHaveLength(1);
    expect(second.techniques.techniques_count).toBeLessThan(first.techniques.techniques_count);
    const asked = await analysis.ask('GET', `/api/v3/pipeline/sessions/${first.session_id}`);
    expect(asked.body.data.claims.claims_verified).toEqual(first.claims.claims_verified);
    await set('analysis.claims.most_claims', undefined);
    await set('analysis.techniques.least_confidence', undefined);
  });

  it('plans with the time limits of staff', async () => {
    await set('analysis.techniques.timeout_ms', 5_000);
    const body = { media_type: 'text', text: TEXT };
    const { nodes } = (await analysis.ask('POST', '/api/v3/pipeline/dry-run', { body })).body.data;
    const limit = nodes.find(({ component }: { component: string }) => component === 'techniques').timeout_ms;
    expect([limit, (await config('techniques')).timeout_ms]).toEqual([5_000, 5_000]);
  });

  it('judges by rules of staff under a version of their own', async () => {
    const changed = await set('analysis.verdict.enqueue_thresholds', {
      risk_from: 90,
      confidence_below: 0.1,
      most_urgent: 1,
    });
    expect((await analyse()).verdict.weights_source).toBe(`default_text@1.0.0+${changed}`);
  });

  it('leaves a session that was accepted before a change what held then', async () => {
    const accepted = await analysis.ask('POST', '/api/v3/pipeline/analyze-async', {
      body: { media_type: 'text', text: TEXT },
    });
    const { session_id: id } = accepted.body.data;
    await set('analysis.claims.most_claims', 1);
    const worker = await startAnalysis(engine.database());
    await eventually(async () => {
      const { body } = await analysis.ask('GET', `/api/v3/pipeline/sessions/${id}`);
      expect(body.data.status).toBe('completed');
      expect(body.data.claims.claims_verified.length).toBeGreaterThan(1);
    });
    await worker.close();
    expect((await analyse()).claims.claims_verified).toHaveLength(1);
  });

  it('gives slots as staff say', async () => {
    await set('analysis.slots_free', 1);
    const later = () =>
      analysis.ask('POST', '/api/v3/pipeline/analyze-async', { body: { media_type: 'text', text: TEXT } });
    expect((await later()).status).toBe(202);
    await set('analysis.async_status', '200');
    expect((await later()).status).toBe(200);
  });
});
