import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ConfigurationTables } from '../../../../src/foundation/configuration/tables.ts';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { forEachEngine, silent } from '../../../foundation/database/engines.ts';
import { eventually } from '../../../patience.ts';
import {
  type Arrival,
  json,
  model,
  type ScriptedGateway,
  say,
  startGateway,
} from '../dependencies/text-model/gateway.ts';
import { ADMIN, type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const TEXT = 'Acești trădători vor să ne distrugă țara! Treziți-vă acum, până nu e prea târziu, oameni buni!';
const own = 'limpede-techniques-1';
const url = '/api/v3/techniques/stage-assignments';

/** Answers every task in its form: nothing found. */
const answerAll = (arrival: Arrival) =>
  arrival.task === 'techniques' ? say(arrival, { findings: [] }) : say(arrival, 'no form');

forEachEngine((engine) => {
  let gateway: ScriptedGateway;
  let here: RunningAnalysis;
  let there: RunningAnalysis;
  let elsewhere: Database;
  beforeAll(async () => {
    gateway = await startGateway();
    gateway.models = [model('a'), model('b'), model('e', { capabilities: ['embed'] })];
    const settings = { LLM_URL: gateway.url };
    elsewhere =
      engine.name === 'postgres' ? await openDatabase({ ...engine.place(), log: silent }) : engine.database();
    here = await startAnalysis(engine.database(), settings);
    there = await startAnalysis(elsewhere, settings);
  });
  afterAll(async () => {
    await Promise.all([here.close(), there.close()]);
    if (elsewhere !== engine.database()) await elsewhere.close();
    await gateway.close();
  });
  beforeEach(() => {
    gateway.script = answerAll;
    gateway.arrivals.length = 0;
  });
  afterEach(async () => {
    for (const tier of ['free', 'premium']) {
      await put({ stage: 'deep', tier, primary: null });
    }
  });

  const put = (body: unknown, as: string | null = ADMIN) => here.ask('PUT', url, { body, as });
  const assignments = async (service: RunningAnalysis) => (await service.ask('GET', url)).body.data;
  const deep = async (service: RunningAnalysis, tier = 'free') =>
    (await assignments(service)).items.find(
      (item: { stage: string; tier: string }) => item.stage === 'deep' && item.tier === tier,
    );
  const analyse = async (service: RunningAnalysis, plan_type = 1) =>
    (
      await service.ask('POST', '/api/v3/techniques/analyze', {
        body: { media_type: 'text', text: TEXT, plan_type },
      })
    ).body.data;
  const asked = () =>
    gateway.arrivals.filter(({ task }) => task === 'techniques').map(({ body }) => body.model);

  it('are the choice of the service until somebody assigns', async () => {
    await analyse(here);
    const { items, pagination } = await assignments(here);
    expect(pagination).toEqual({ page: 1, limit: 100, total: 4, pages: 1 });
    expect(items[0]).toEqual({
      stage: 'screening',
      tier: 'free',
      primary: own,
      fallbacks: [],
      assigned: false,
      version: 0,
      updated_at: null,
      updated_by: null,
    });
    expect(items.map(({ stage, tier }: { stage: string; tier: string }) => `${stage} ${tier}`)).toEqual([
      'screening free',
      'screening premium',
      'deep free',
      'deep premium',
    ]);
    expect(await deep(here)).toMatchObject({ primary: 'a', fallbacks: [own], assigned: false });
  });

  it('say who changed them, and count their versions', async () => {
    const before = (await assignments(here)).config_version;
    const changed = await put({ stage: 'deep', tier: 'free', primary: 'b', fallbacks: ['a'] });
    expect(changed.status).toBe(200);
    expect(changed.body.data).toMatchObject({
      stage: 'deep',
      tier: 'free',
      primary: 'b',
      fallbacks: ['a', own],
      assigned: true,
      updated_by: 'root',
      config_version: before + 1,
    });
    const { config_version, ...item } = changed.body.data;
    expect(await deep(here)).toEqual(item);
    const again = await put({ stage: 'deep', tier: 'free', primary: null });
    expect(again.body.data).toMatchObject({ assigned: false, version: item.version + 1 });
    const rows = await engine
      .database()
      .kysely<ConfigurationTables>()
      .selectFrom('configuration_change')
      .selectAll()
      .where('key', '=', 'analysis.stage.techniques.deep.free')
      .orderBy('version', 'desc')
      .limit(2)
      .execute();
    expect(rows.map(({ actor, old, value }) => ({ actor, old, value }))).toEqual([
      { actor: 'root', old: { primary: 'b', fallbacks: ['a'] }, value: null },
      { actor: 'root', old: null, value: { primary: 'b', fallbacks: ['a'] } },
    ]);
  });

  it('steer which model runs, by tier', async () => {
    await put({ stage: 'deep', tier: 'premium', primary: 'b' });
    expect((await analyse(here, 1)).techniques.llm_deep).toBe('a');
    expect((await analyse(here, 4)).techniques.llm_deep).toBe('b');
    expect(asked()).toEqual(['a', 'b']);
  });

  it('let a fallback answer, and count it', async () => {
    gateway.script = (arrival) =>
      arrival.body.model === 'b'
        ? json(arrival.response, 500, { error: { message: 'no' } })
        : answerAll(arrival);
    await put({ stage: 'deep', tier: 'free', primary: 'b', fallbacks: ['a'] });
    const session = await analyse(here);
    expect(session.techniques).toMatchObject({ llm_deep: 'a', fallbacks_deep: 1 });
  });

  it('can leave a stage to our own engine: nothing is asked, and nothing is missing', async () => {
    await put({ stage: 'deep', tier: 'free', primary: own });
    const session = await analyse(here);
    expect(asked()).toEqual([]);
    expect(session.techniques.llm_deep).toBeNull();
    const lines = session.degraded.filter(({ effect }: { effect: string }) => effect !== 'fallback');
    expect(lines).toEqual([]);
    const plan = await here.ask('POST', '/api/v3/techniques/analyze', {
      body: { media_type: 'text', text: TEXT, dry_run: true },
    });
    expect(plan.body.data.stages['techniques.deep'].free).toEqual({ primary: own, fallbacks: [] });
    expect(plan.body.data.prompt_config_keys).toEqual(['explanation@1']);
  });

  it('take effect in every process that shares the database', async () => {
    await put({ stage: 'deep', tier: 'free', primary: 'b' });
    await eventually(async () => expect((await deep(there)).primary).toBe('b'));
    const session = await analyse(there);
    expect(session.techniques.llm_deep).toBe('b');
    expect(session.config_version).toBe((await assignments(here)).config_version);
  });

  it('do not change a session that has begun', async () => {
    let change: Promise<unknown> | undefined;
    gateway.script = (arrival) => {
      change ??= put({ stage: 'deep', tier: 'free', primary: 'b' });
      void change.then(() => answerAll(arrival));
    };
    const before = (await assignments(here)).config_version;
    const session = await analyse(here);
    expect(session.techniques.llm_deep).toBe('a');
    expect(session.config_version).toBe(before);
    expect((await assignments(here)).config_version).toBe(before + 1);
  });

  it.each<[string, object, string, RegExp]>([
    ['nothing', {}, 'body.stage', /required/i],
    [
      'an unknown stage',
      { stage: 'verification', tier: 'free', primary: 'a' },
      'body.stage',
      /'screening' or 'deep'/,
    ],
    ['an unknown tier', { stage: 'deep', tier: 'gold', primary: 'a' }, 'body.tier', /'free' or 'premium'/],
    ['no primary', { stage: 'deep', tier: 'free' }, 'body.primary', /required/i],
    ['an empty name', { stage: 'deep', tier: 'free', primary: ' ' }, 'body.primary', /character/],
    ['an unknown model', { stage: 'deep', tier: 'free', primary: 'zz' }, 'body.primary', /lists no model zz/],
    [
      'a model that does not chat',
      { stage: 'deep', tier: 'free', primary: 'e' },
      'body.primary',
      /answers chats/,
    ],
    [
      'an unknown fallback',
      { stage: 'deep', tier: 'free', primary: 'a', fallbacks: ['b', 'zz'] },
      'body.fallbacks.1',
      /lists no model zz/,
    ],
    [
      'a name twice',
      { stage: 'deep', tier: 'free', primary: 'a', fallbacks: ['a'] },
      'body.fallbacks.0',
      /twice/,
    ],
    [
      'anybody behind our engine',
      { stage: 'deep', tier: 'free', primary: own, fallbacks: ['a'] },
      'body.primary',
      /always answers/,
    ],
    [
      'the engine of another stage',
      { stage: 'deep', tier: 'free', primary: 'limpede-claims-1' },
      'body.primary',
      /lists no model/,
    ],
    [
      'a model where only our engine works',
      { stage: 'screening', tier: 'free', primary: 'a' },
      'body.primary',
      /alone/,
    ],
    [
      'fallbacks of nobody',
      { stage: 'deep', tier: 'free', primary: null, fallbacks: ['a'] },
      'body.fallbacks',
      /primary/,
    ],
    [
      'a chain without end',
      { stage: 'deep', tier: 'free', primary: 'a', fallbacks: ['b', 'c', 'd', 'f', 'g'] },
      'body.fallbacks',
      /at most 4/,
    ],
  ])('refuse %s', async (_name, body, path, message) => {
    const answer = await put(body);
    expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed']);
    const detail = answer.body.details.find((each: { path: string }) => each.path === path);
    expect(detail?.message).toMatch(message);
    expect((await deep(here)).assigned).toBe(false);
  });

  it('are changed by administrators only, who are told of a bad body first', async () => {
    const body = { stage: 'deep', tier: 'free', primary: 'b' };
    for (const as of ['clients/ana/user', 'admins/mod/moderator', 'admins/aud/auditor']) {
      const answer = await put(body, as);
      expect([answer.status, answer.body.error_code]).toEqual([403, 'forbidden_role']);
      expect((await put({}, as)).status).toBe(400);
    }
    expect((await put(body, null)).status).toBe(401);
    expect((await here.ask('GET', url, { as: null })).status).toBe(401);
    expect((await deep(here)).assigned).toBe(false);
  });

  it('name a model that cannot be checked as such', async () => {
    const alone = await startAnalysis(engine.database());
    const answer = await alone.ask('PUT', url, {
      body: { stage: 'deep', tier: 'free', primary: 'a' },
      as: ADMIN,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].message).toMatch(/cannot be checked: text models are switched off/);
    const mine = await alone.ask('PUT', url, {
      body: { stage: 'deep', tier: 'free', primary: own },
      as: ADMIN,
    });
    expect(mine.status).toBe(200);
    await alone.close();
  });

  it.each([
    ['ai-tampered', ['screening'], 'limpede-ai-text-1'],
    ['claims', ['extraction', 'stance'], 'limpede-claims-1'],
    ['source-assessment', ['assessment'], 'limpede-domain-1'],
  ])('exist for %s', async (path, stages, engineName) => {
    const place = `/api/v3/${path}/stage-assignments`;
    const { items } = (await here.ask('GET', place)).body.data;
    expect([...new Set(items.map(({ stage }: { stage: string }) => stage))]).toEqual(stages);
    const answer = await here.ask('PUT', place, {
      body: { stage: stages[0], tier: 'premium', primary: engineName },
      as: ADMIN,
    });
    expect(answer.body.data).toMatchObject({ primary: engineName, fallbacks: [], assigned: true });
    await here.ask('PUT', place, { body: { stage: stages[0], tier: 'premium', primary: null }, as: ADMIN });
  });

  it('make the health report fail when a stored one does not fit', async () => {
    const health = () => here.ask('GET', '/api/v3/health/all');
    expect((await health()).body.checks.framework.status).toBe('healthy');
    const rows = engine.database().kysely<ConfigurationTables>();
    const { config_version } = await assignments(here);
    await rows
      .insertInto('configuration_change')
      .values({
        config_version: config_version + 1,
        key: 'analysis.stage.techniques.screening.free',
        version: 1,
        old: null,
        value: JSON.stringify({ primary: 5 }),
        actor: 'somebody',
      })
      .execute();
    const { status, body } = await health();
    expect([status, body.status, body.checks.framework.status]).toEqual([503, 'unhealthy', 'unhealthy']);
    expect(body.checks.framework.error).toContain('analysis.stage.techniques.screening.free');
    await put({ stage: 'screening', tier: 'free', primary: own });
    expect((await health()).body.checks.framework.status).toBe('healthy');
    await put({ stage: 'screening', tier: 'free', primary: null });
  });
});
