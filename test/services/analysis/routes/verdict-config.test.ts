import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import type { AnalysisSession } from '../../../../src/services/analysis/resources/analysis-session.ts';
import { MEDIA_TYPES } from '../../../../src/services/analysis/resources/media-types.ts';
import type { AnalysisTables } from '../../../../src/services/analysis/store/tables.ts';
import { storedVerdictRules } from '../../../../src/services/analysis/store/verdict-rules.ts';
import { analysisTunables } from '../../../../src/services/analysis/tunables.ts';
import { openConfiguration } from '../../../foundation/configuration/open-configuration.ts';
import { forEachEngine, silent } from '../../../foundation/database/engines.ts';
import { eventually } from '../../../patience.ts';
import { ADMIN, type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const TEXT =
  'Acești trădători vor să ne distrugă țara! Guvernul minte. Treziți-vă acum, până nu e prea târziu, oameni buni!';
const url = '/api/v3/pipeline/verdict-config';
const equal = { manipulation: 0.2, claims: 0.2, ai: 0.2, source: 0.2, context: 0.2 };
const pressing = { manipulation: 0.8, claims: 0.05, ai: 0.05, source: 0.05, context: 0.05 };

forEachEngine((engine) => {
  let here: RunningAnalysis;
  let there: RunningAnalysis;
  let elsewhere: Database;
  beforeAll(async () => {
    elsewhere =
      engine.name === 'postgres' ? await openDatabase({ ...engine.place(), log: silent }) : engine.database();
    here = await startAnalysis(engine.database());
    there = await startAnalysis(elsewhere);
  });
  afterAll(async () => {
    await Promise.all([here.close(), there.close()]);
    if (elsewhere !== engine.database()) await elsewhere.close();
  });

  const put = (body: unknown, as: string | null = ADMIN) => here.ask('PUT', url, { body, as });
  const read = async (service = here) => (await service.ask('GET', url)).body.data;
  const profile = async (media = 'text', service = here) =>
    (await read(service)).profiles.find(({ media_type }: { media_type: string }) => media_type === media);
  const analyse = async (service = here): Promise<AnalysisSession> => {
    const body = { media_type: 'text', text: TEXT };
    return (await service.ask('POST', '/api/v3/pipeline/analyze', { body })).body.data;
  };

  it('is that of the product until somebody changes it', async () => {
    const config = await read();
    expect(config.version).toBe('1.0.0');
    expect(config.profiles.map(({ media_type }: { media_type: string }) => media_type)).toEqual(MEDIA_TYPES);
    expect((await analyse()).verdict?.weights_source).toBe('default_text@1.0.0');
  });

  it('changes what is named and keeps the rest, under a new version that judges from then on', async () => {
    const before = await profile();
    const first = await analyse();
    const answer = await put({ media_type: 'text', profile_code: 'elections', weights: pressing });
    expect(answer.status).toBe(200);
    const { version, config_version } = answer.body.data;
    expect(version).toBe(`1.0.0+${config_version}`);
    expect(await profile()).toEqual({ ...before, profile_code: 'elections', weights: pressing });
    expect(await profile('url')).toMatchObject({ profile_code: 'default_url' });
    const second = await analyse();
    expect(second.verdict?.weights_source).toBe(`elections@${version}`);
    expect(second.scenario_applied).toBe('elections');
    expect(second.config_version).toBe(config_version);
    const weights = second.verdict?.applied_weights;
    expect(weights?.manipulation).toBeGreaterThan(first.verdict?.applied_weights.manipulation ?? 1);
  });

  it('holds in every process that shares the database', async () => {
    const { body } = await put({ media_type: 'text', weights: equal });
    await eventually(async () => expect((await read(there)).version).toBe(body.data.version));
    expect((await analyse(there)).verdict?.weights_source).toContain(`@${body.data.version}`);
  });

  it('is kept in every version, so that an old verdict can be made again', async () => {
    await put({ media_type: 'text', weights: pressing });
    const session = await analyse();
    await put({ media_type: 'text', weights: equal });
    const [, version = ''] = session.verdict?.weights_source.split('@') ?? [];
    expect((await read()).version).not.toBe(version);
    // A process that starts later: it never held the old version in memory.
    const configuration = await openConfiguration(elsewhere, analysisTunables, silent);
    const source = storedVerdictRules(elsewhere.kysely<AnalysisTables>(), configuration);
    const rules = await source.ofVersion(version);
    await configuration.close();
    if (rules === undefined) throw new Error('the version is not there');
    expect(rules.weight_profiles.find(({ media_type }) => media_type === 'text')?.weights).toEqual(pressing);
    expect(await source.ofVersion('9.9.9')).toBeUndefined();
    const { applied_weights, risk_score, override_adjustment } = session.verdict ?? {};
    const scores = session.verdict;
    const sum = Object.entries(applied_weights ?? {}).reduce(
      (total, [name, weight]) =>
        total + weight * Number((scores as Record<string, unknown>)[`score_${name}`] ?? 0),
      0,
    );
    expect(Math.abs((risk_score ?? 0) - sum - (override_adjustment ?? 0))).toBeLessThanOrEqual(0.06);
    // The stored weights are those of the stored version, scaled to the scores that were used.
    const used = Object.keys(applied_weights ?? {}).filter(
      (name) => (scores as Record<string, unknown>)[`score_${name}`] !== null,
    );
    const whole = used.reduce((total, name) => total + pressing[name as keyof typeof pressing], 0);
    for (const name of used) {
      expect(applied_weights?.[name as keyof typeof pressing]).toBeCloseTo(
        pressing[name as keyof typeof pressing] / whole,
        3,
      );
    }
  });

  it.each<[string, object, string]>([
    ['nothing', {}, 'body.media_type'],
    ['an unknown kind of content', { media_type: 'pdf' }, 'body.media_type'],
    ['weights that do not sum to 1', { media_type: 'text', weights: { ...equal, ai: 0.3 } }, 'body.weights'],
    ['a weight that is missing', { media_type: 'text', weights: { claims: 1 } }, 'body.weights.manipulation'],
    ['a negative weight', { media_type: 'text', weights: { ...equal, ai: -0.2 } }, 'body.weights.ai'],
    ['a cap beyond the scale', { media_type: 'text', override_cap: 101 }, 'body.override_cap'],
    ['no component at all', { media_type: 'text', min_components: 0 }, 'body.min_components'],
    ['more components than there are', { media_type: 'text', min_components: 5 }, 'body.min_components'],
    ['a kind without an active profile', { media_type: 'text', is_active: false }, 'body.is_active'],
    ['a code that is none', { media_type: 'text', profile_code: 'Élections!' }, 'body.profile_code'],
  ])('refuses %s, and the old one stays', async (_name, body, path) => {
    const before = await read();
    const answer = await put(body);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed']);
    expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
    expect(await read()).toEqual(before);
  });

  it('is changed by administrators only, who are told of a bad body first', async () => {
    const body = { media_type: 'text', weights: equal };
    for (const as of ['clients/ana/user', 'admins/mod/senior_moderator']) {
      const answer = await put(body, as);
      expect([answer.status, answer.body.error_code]).toEqual([403, 'forbidden_role']);
      expect((await put({}, as)).status).toBe(400);
    }
    expect((await put(body, null)).status).toBe(401);
  });

  it('takes no new version for a change to what holds', async () => {
    const { version, config_version } = await read();
    const { weights } = await profile();
    const answer = await put({ media_type: 'text', weights, anything: 'else' });
    expect(answer.body.data).toMatchObject({ version, config_version });
  });
});
