import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { modelTest } from '../../../../src/services/analysis/resources/model-test.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { json, model, type ScriptedGateway, say, startGateway } from '../dependencies/text-model/gateway.ts';
import { ADMIN, type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const home = freshHome();
let database: Database;
let gateway: ScriptedGateway;
let service: RunningAnalysis;
let alone: RunningAnalysis;
beforeAll(async () => {
  database = await openDatabase({ home: home.home, log: silent });
  gateway = await startGateway();
  service = await startAnalysis(database, { LLM_URL: gateway.url });
  alone = await startAnalysis(database);
});
afterAll(async () => {
  await Promise.all([service.close(), alone.close()]);
  await gateway.close();
  await database.close();
  home.remove();
});
beforeEach(() => {
  gateway.script = (arrival) => say(arrival, 'ready');
  gateway.arrivals.length = 0;
  gateway.models = [model('a')];
  gateway.backends = [];
});

const test = (body: unknown, as: string | null = ADMIN, group = 'techniques', at = service) =>
  at.ask('POST', `/api/v3/${group}/test-model`, { body, as });

describe('a test of a model', () => {
  it('is a real round trip through the gateway', async () => {
    const answer = await test({ model: 'a', backend: 'gpu' });
    expect(answer.status).toBe(200);
    expect(modelTest.parse(answer.body.data)).toMatchObject({
      ok: true,
      model: 'a',
      backend: 'gpu',
      answer: 'ready',
      error: null,
    });
    expect(answer.body.data.latency_ms).toBeGreaterThanOrEqual(0);
    expect(gateway.arrivals.map(({ body }) => body)).toMatchObject([
      { model: 'a', backend: 'gpu', temperature: 0, stream: false },
    ]);
  });

  it('shows the beginning of a long answer', async () => {
    gateway.script = (arrival) => say(arrival, `  ${'ready '.repeat(500)}`);
    expect((await test({ model: 'a' })).body.data.answer).toHaveLength(200);
  });

  it.each<[string, number, unknown, string, RegExp]>([
    ['refuses', 400, { error: { message: 'No such model.' } }, 'refused', /^No such model\.$/],
    ['refuses without a word', 404, {}, 'refused', /refused/],
    ['fails', 500, {}, 'unavailable', /500/],
    ['limits rates', 429, {}, 'rate_limited', /too many/],
    ['answers nonsense', 200, { ok: true }, 'invalid_answer', /contract/],
  ])('says so when the gateway %s', async (_name, status, body, reason, message) => {
    gateway.script = ({ response }) => json(response, status, body);
    const { data } = (await test({ model: 'a' })).body;
    expect(modelTest.parse(data)).toMatchObject({ ok: false, answer: null, error: { reason } });
    expect(data.error.message).toMatch(message);
    expect(data.latency_ms).toBeGreaterThanOrEqual(0);
  });

  it('is made however often the model failed before', async () => {
    gateway.script = ({ response }) => json(response, 500, {});
    for (let turn = 0; turn < 12; turn++) await test({ model: 'a' });
    expect(gateway.arrivals).toHaveLength(12);
  });

  it.each([
    ['techniques', 'limpede-techniques-1', /^techniques found in the sample: \w/],
    ['ai-tampered', 'limpede-ai-text-1', /^verdict on the sample: \w/],
    ['claims', 'limpede-claims-1', /^claims found in the sample: \w/],
  ])('runs the engine of %s itself', async (group, engine, answer) => {
    for (const at of [service, alone]) {
      const { data } = (await test({ model: engine }, ADMIN, group, at)).body;
      expect(modelTest.parse(data)).toMatchObject({ ok: true, model: engine, backend: 'own' });
      expect(data.answer).toMatch(answer);
    }
    expect(gateway.arrivals).toHaveLength(0);
  });

  it.each<[string, object, string, string]>([
    ['an engine of another group', { model: 'limpede-claims-1' }, 'techniques', 'unknown_model'],
    [
      'our engine on a backend',
      { model: 'limpede-techniques-1', backend: 'gpu' },
      'techniques',
      'unknown_model',
    ],
    ['an engine whose service is off', { model: 'limpede-domain-1' }, 'source-assessment', 'unavailable'],
  ])('says why it cannot try %s', async (_name, body, group, reason) => {
    expect((await test(body, ADMIN, group)).body.data).toMatchObject({ ok: false, error: { reason } });
    expect(gateway.arrivals).toHaveLength(0);
  });

  it('says when text models are switched off', async () => {
    const { data } = (await test({ model: 'a' }, ADMIN, 'claims', alone)).body;
    expect(data).toMatchObject({ ok: false, model: 'a', error: { reason: 'not_configured' } });
  });

  it.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['an empty name', { model: ' ' }],
    ['an unknown backend', { model: 'a', backend: 'moon' }],
    ['no JSON', '{'],
  ])('refuses %s', async (_name, body) => {
    for (const as of [ADMIN, 'clients/ana/user']) expect((await test(body, as)).status).toBe(400);
  });

  it('is for administrators', async () => {
    for (const group of ['ai-tampered', 'claims', 'techniques', 'source-assessment']) {
      for (const as of ['clients/ana/user', 'admins/mod/senior_moderator']) {
        const answer = await test({ model: 'a' }, as, group);
        expect([answer.status, answer.body.error_code]).toEqual([403, 'forbidden_role']);
      }
      expect((await test({ model: 'a' }, null, group)).status).toBe(401);
    }
    expect(gateway.arrivals).toHaveLength(0);
  });
});

describe('the test of the cloud backend', () => {
  const cloud = (body: unknown = {}, as: string | null = ADMIN, at = service) =>
    at.ask('POST', '/api/v3/techniques/test-cloud', { body, as });

  it('asks the first model that the backend lists', async () => {
    gateway.models = [
      model('a'),
      model('embedder', { backend: 'cloud', capabilities: ['embed'] }),
      model('big', { backend: 'cloud' }),
    ];
    gateway.script = (arrival) => say(arrival, 'ready', { backend: 'cloud' });
    const { status, body } = await cloud();
    expect(status).toBe(200);
    expect(modelTest.parse(body.data)).toMatchObject({ ok: true, model: 'big', backend: 'cloud' });
    expect(gateway.arrivals[0]?.body).toMatchObject({ model: 'big', backend: 'cloud' });
  });

  it('asks the one that is named', async () => {
    gateway.script = (arrival) => say(arrival, 'ready', { backend: 'cloud' });
    await cloud({ model: 'vendor/model' });
    expect(gateway.arrivals[0]?.body).toMatchObject({ model: 'vendor/model', backend: 'cloud' });
  });

  it('says when there is none, or none that answers', async () => {
    expect((await cloud()).body.data).toMatchObject({
      ok: false,
      backend: 'cloud',
      error: { reason: 'not_configured', message: 'The gateway has no cloud backend.' },
    });
    gateway.backends = ['cloud'];
    expect((await cloud()).body.data.error.message).toBe('The cloud backend lists no model.');
    expect((await cloud({}, ADMIN, alone)).body.data.error.reason).toBe('not_configured');
  });

  it('needs a body and an administrator', async () => {
    expect((await service.ask('POST', '/api/v3/techniques/test-cloud', { as: ADMIN })).status).toBe(400);
    expect((await cloud({ model: '' })).status).toBe(400);
    expect((await cloud({}, 'clients/ana/user')).status).toBe(403);
    expect((await cloud({}, null)).status).toBe(401);
  });
});
