import { Ajv2020 } from 'ajv/dist/2020.js';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, TokenError } from '../../../src/foundation/auth.ts';
import { databaseChanges } from '../../../src/foundation/configuration/changes.ts';
import { openConfigurations } from '../../../src/foundation/configuration/configuration.ts';
import type { Database } from '../../../src/foundation/database/database.ts';
import type { BuiltService } from '../../../src/foundation/service.ts';
import { buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { dashboardService } from '../../../src/services/dashboard/service.ts';
import { dashboardSettings } from '../../../src/services/dashboard/settings.ts';
import { DatabaseLedger } from '../../../src/services/llm/usage/ledger.ts';
import type { UsageEntry } from '../../../src/services/llm/usage/usage-entry.ts';
import { forEachEngine, silent } from '../../foundation/database/engines.ts';

const ADMIN = 'admins/root/admin';
const AUDITOR = 'admins/vera/auditor';
const MODERATOR = 'admins/mihai/moderator';

async function callerOf(token: string): Promise<Caller> {
  const [realm = '', subject = '', roles] = token.split('/');
  if (roles === undefined) throw new TokenError('invalid', 'it is no token');
  return { realm, subject, roles: roles.split(','), email: null, planCap: null, application: null };
}

async function start(
  database: Database,
  environment: Record<string, string> = {},
  replace: { readonly database?: Database } = {},
) {
  const configurations = openConfigurations(
    databaseChanges(async () => database),
    silent,
  );
  await configurations.ready;
  const platform = {
    home: '/nonexistent',
    version: '9.9.9',
    publicUrl: 'http://127.0.0.1:8080',
    log: silent,
    metrics: new Registry(),
    database: async () => database,
    configuration: configurations.of,
  };
  const settings = parseSettings(dashboardSettings, environment);
  const built: BuiltService<object> = await buildService(dashboardService, settings, platform, {
    verifyToken: callerOf,
    ...replace,
  });
  const ask = async (method: 'GET' | 'PUT', url: string, as: string | null = ADMIN, body?: unknown) => {
    const response = await built.app.inject({
      method,
      url,
      headers: {
        ...(as !== null && { authorization: `Bearer ${as}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    return { status: response.statusCode, body: response.json() };
  };
  const close = async () => {
    await built.close();
    await configurations.close();
  };
  return { ask, close };
}

const entry: UsageEntry = {
  caller: 'ana',
  backend: 'gpu',
  model: 'm',
  operation: 'chat',
  outcome: 'ok',
  source: 'reported',
  tokens: { promptTokens: 100, completionTokens: 20, cost: null },
  cost: 0.5,
  durationMs: 100,
  firstEventMs: null,
};

forEachEngine((engine) => {
  let here: Awaited<ReturnType<typeof start>>;
  let there: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    here = await start(engine.database(), { LLM_RATE_LIMIT_RPS: '33' });
    there = await start(engine.database());
  });
  afterAll(async () => {
    await Promise.all([here.close(), there.close()]);
  });
  const put = (key: string, value: unknown, as = ADMIN) =>
    here.ask('PUT', `/api/config/${key}`, as, { value });
  const schema = async () => (await here.ask('GET', '/api/config/schema')).body.data;

  describe('who may', () => {
    it.each([
      ['GET', '/api/stats/providers', { [MODERATOR]: 200, [AUDITOR]: 200, [ADMIN]: 200 }],
      ['GET', '/api/config/schema', { [MODERATOR]: 200, [AUDITOR]: 200, [ADMIN]: 200 }],
      ['GET', '/audit', { [MODERATOR]: 403, [AUDITOR]: 200, [ADMIN]: 200 }],
      ['PUT', '/api/config/llm.retries', { [MODERATOR]: 403, [AUDITOR]: 403, [ADMIN]: 200 }],
    ] as const)('%s %s', async (method, url, statuses) => {
      const body = method === 'PUT' ? { value: 2 } : undefined;
      for (const [token, status] of Object.entries(statuses))
        expect([token, (await here.ask(method, url, token, body)).status]).toEqual([token, status]);
      const strangers = { 'clients/eva/admin': 403, 'admins/ion/user': 403, rubbish: 401 };
      for (const [token, status] of Object.entries(strangers))
        expect([token, (await here.ask(method, url, token, body)).status]).toEqual([token, status]);
      const nobody = await here.ask(method, url, null, body);
      expect([nobody.status, nobody.body.error_code]).toEqual([401, 'token_missing']);
    });
  });

  describe('health', () => {
    const healthOf = async ({ ask }: typeof here) => {
      const { status, body } = await ask('GET', '/health', null);
      return [status, body.status, body.checks.database.status];
    };

    it('holds while the database answers, and fails without it', async () => {
      expect(await healthOf(here)).toEqual([200, 'healthy', 'healthy']);
      const probe = () => Promise.reject(new Error('ECONNREFUSED'));
      const close = async () => undefined;
      const lost: Database = Object.create(engine.database(), {
        probe: { value: probe },
        close: { value: close },
      });
      const without = await start(engine.database(), {}, { database: lost });
      expect(await healthOf(without)).toEqual([503, 'unhealthy', 'unhealthy']);
      await without.close();
    });
  });

  describe('the schema of the configuration', () => {
    it('is a JSON Schema of all values, with what holds by the environment', async () => {
      const { properties, ...whole } = await schema();
      const check = new Ajv2020({ strict: false });
      const validate = check.compile({ ...whole, properties });
      const current = Object.fromEntries(
        Object.entries<{ current: unknown }>(properties).map(([key, property]) => [key, property.current]),
      );
      expect(validate(current), JSON.stringify(validate.errors)).toBe(true);
      expect(Object.keys(properties).length).toBeGreaterThan(100);
      expect(properties['llm.rate_limit_rps']).toMatchObject({
        type: 'number',
        minimum: 0.001,
        maximum: 10_000_000,
        default: 33,
        current: 33,
        description_en: 'Requests per second of one caller.',
        description_ro: 'Cereri pe secundă ale unui apelant.',
        requires_restart: false,
        secret: false,
        version: 0,
      });
      expect(properties['analysis.async_status']).toMatchObject({ type: 'string', enum: ['200', '202'] });
      expect(properties['web.extract_workers'].requires_restart).toBe(true);
    });
  });

  describe('a value', () => {
    it('is changed, told to others, audited, and set back', async () => {
      const before = (await schema()).config_version;
      const { status, body } = await put('llm.rate_limit_burst', 50);
      expect([status, body.data]).toMatchObject([
        200,
        {
          key: 'llm.rate_limit_burst',
          value: 50,
          version: 1,
          config_version: before + 1,
          actor: 'admins/root',
        },
      ]);
      expect((await schema()).properties['llm.rate_limit_burst']).toMatchObject({
        current: 50,
        default: 20,
        version: 1,
      });
      expect((await put('llm.rate_limit_burst', null)).body.data).toMatchObject({ value: 20, version: 2 });
      const { items, pagination } = (await here.ask('GET', '/audit?key=llm.rate_limit_burst&limit=1')).body
        .data;
      expect(items).toMatchObject([
        { actor: 'admins/root', key: 'llm.rate_limit_burst', old: 50, new: null },
      ]);
      expect(pagination).toEqual({ page: 1, limit: 1, total: 2, pages: 2 });
      const second = (await here.ask('GET', '/audit?key=llm.rate_limit_burst&limit=1&page=2')).body.data;
      expect(second.items).toMatchObject([{ old: null, new: 50 }]);
    });

    it.each([
      ['llm.rate_limit_burst', 0, 'value'],
      ['llm.rate_limit_burst', '9', 'value'],
      ['analysis.ai_tampered.verdict_from', { likely: 0.9, strong: 0.8 }, 'value'],
      ['analysis.verdict.thresholds', { peak_signal: 3 }, 'value.known_false_match'],
    ])('%s = %j is refused with the reason, and the old one stays', async (key, value, path) => {
      const before = (await schema()).properties[key].current;
      const { status, body } = await put(key, value);
      expect([status, body.error_code]).toEqual([422, 'value_refused']);
      expect(body.details.map((detail: { path: string }) => detail.path)).toContain(`body.${path}`);
      expect((await schema()).properties[key].current).toEqual(before);
    });

    it('must be named, and be one of the schema', async () => {
      expect((await put('nobody.knows', 1)).body.error_code).toBe('config_key_not_found');
      const { status, body } = await here.ask('PUT', '/api/config/llm.retries', ADMIN, {});
      expect([status, body.error_code]).toEqual([422, 'validation_failed']);
    });

    it('is told to processes without a database', async () => {
      await put('llm.retries', 7);
      const { body } = await there.ask('GET', '/api/config/changes?after=0', null);
      expect(body.items.at(-1)).toMatchObject({ key: 'llm.retries', value: 7, actor: 'admins/root' });
      const { config_version: last } = body.items.at(-1);
      expect((await there.ask('GET', `/api/config/changes?after=${last}`, null)).body).toEqual({ items: [] });
    });
  });

  describe('the audit', () => {
    it('is filtered by actor and time', async () => {
      await put('llm.retries', 4, 'admins/dan/admin');
      const total = async (query: string) =>
        (await here.ask('GET', `/audit?${query}`)).body.data.pagination.total;
      expect(await total('actor=admins/dan')).toBe(1);
      expect(await total(`from=${new Date(Date.now() + 3_600_000).toISOString()}`)).toBe(0);
      expect(await total(`to=${new Date(Date.now() - 3_600_000).toISOString()}`)).toBe(0);
      expect((await here.ask('GET', '/audit?limit=0')).status).toBe(422);
    });
  });

  describe('the use of text models', () => {
    const stats = async (query = '') => (await here.ask('GET', `/api/stats/providers${query}`)).body.data;

    it('is empty where nothing was recorded', async () => {
      expect(await stats()).toMatchObject({ recorded_since: null, items: [], series: [], currency: null });
    });

    it('is summed by provider and model, with percentiles, and by hour or day', async () => {
      const ledger = new DatabaseLedger(async () => engine.database(), silent, 3_600_000);
      for (let at = 1; at <= 100; at += 1) ledger.record({ ...entry, durationMs: at * 10, firstEventMs: 4 });
      ledger.record({ ...entry, outcome: 'error', source: 'unknown', durationMs: 90_000, cost: null });
      ledger.record({ ...entry, outcome: 'aborted', durationMs: 90_000 });
      ledger.record({ ...entry, source: 'cached', durationMs: 0, cost: 0 });
      ledger.record({ ...entry, backend: 'cloud', model: 'n', durationMs: 2_000 });
      await ledger.close();
      const { items, series, recorded_since } = await stats();
      expect(recorded_since).toMatch(/Z$/);
      expect(items.map(({ provider, model }: Record<string, string>) => `${provider} ${model}`)).toEqual([
        'gpu m',
        'cloud n',
      ]);
      const [gpu] = items;
      expect(gpu).toMatchObject({
        requests: 103,
        errors: 1,
        aborted: 1,
        cached: 1,
        unknown_tokens: 1,
        prompt_tokens: 10_300,
        completion_tokens: 2_060,
        total_tokens: 12_360,
        unpriced: 1,
        first_event_ms: 4,
      });
      expect(gpu.cost).toBeCloseTo(50.5, 6);
      for (const [name, exact] of [
        ['p50', 500],
        ['p90', 900],
        ['p95', 950],
        ['p99', 990],
        ['mean', 505],
      ] as const)
        expect(Math.abs(gpu.latency_ms[name] / exact - 1), name).toBeLessThan(0.05);
      const sum = series.reduce((all: number, { requests }: { requests: number }) => all + requests, 0);
      expect(sum).toBe(104);
      const days = await stats('?by=day&provider=cloud');
      expect(days.items).toHaveLength(1);
      expect(days.series[0].at).toMatch(/T00:00:00.000Z$/);
      expect((await stats(`?to=${new Date(Date.now() - 86_400_000).toISOString()}`)).items).toEqual([]);
      await put('llm.currency', 'EUR');
      expect((await stats()).currency).toBe('EUR');
    });

    it.each(['?by=week', '?from=2020-01-01T00:00:00Z', '?from=2030-01-01T00:00:00Z', '?to=yesterday'])(
      'is not told for %s',
      async (query) => expect((await here.ask('GET', `/api/stats/providers${query}`)).status).toBe(422),
    );
  });
});
