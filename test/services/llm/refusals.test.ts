import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../patience.ts';
import { CHAT, chat, type RunningGateway, startGateway, TEXT } from './running-gateway.ts';
import { json, plainAnswer } from './upstream.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

describe('refusals', () => {
  it('422 lists what is wrong, for both kinds of clients', async () => {
    gateway = await startGateway();
    const { status, headers, body } = await gateway.post(CHAT, chat({ temperature: 9 }));
    expect(status).toBe(422);
    expect(headers['x-should-retry']).toBe('false');
    expect(body).toEqual({
      detail: [
        {
          type: 'less_than_equal',
          loc: ['body', 'temperature'],
          msg: 'Input should be less than or equal to 2',
          input: 9,
        },
      ],
      error: {
        message: 'temperature: Input should be less than or equal to 2',
        type: 'invalid_request_error',
        code: 'validation_failed',
        param: 'temperature',
      },
    });
    expect(gateway.gpu.arrivals).toHaveLength(0);
  });

  it.each([
    ['no JSON', '{"model":', 'json_invalid'],
    ['nothing', '', 'missing'],
    ['deep nesting that is no object', '['.repeat(5000) + ']'.repeat(5000), 'model_attributes_type'],
  ])('422 for %s', async (_name, body, type) => {
    gateway = await startGateway();
    const answer = await gateway.post(CHAT, body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ type, loc: ['body'] }]);
  });

  it('422 even for nesting that cannot be written out, and without repeating a huge input', async () => {
    gateway = await startGateway();
    const depth = 500_000;
    const deep = await gateway.post(CHAT, '['.repeat(depth) + ']'.repeat(depth));
    expect([deep.status, deep.body.detail]).toMatchObject([
      422,
      [{ type: 'model_attributes_type', input: null }],
    ]);
    const huge = await gateway.post(CHAT, { messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }] });
    expect([huge.status, huge.body.detail]).toMatchObject([422, [{ type: 'missing', input: null }]]);
    expect(huge.text.length).toBeLessThan(1000);
  });

  it('422 for a wrong body of the other operations', async () => {
    gateway = await startGateway();
    const load = await gateway.post('/v1/models/load', { backend: 'cloud' });
    expect(load.status).toBe(422);
    expect(load.headers['x-should-retry']).toBe('false');
    expect(load.body.detail).toMatchObject([
      { type: 'missing', loc: ['body', 'model'] },
      { type: 'literal_error', loc: ['body', 'backend'], input: 'cloud' },
    ]);
    const models = await gateway.get('/v1/models?backend=tpu');
    expect([models.status, (models.body.detail as { loc: unknown }[])[0]?.loc]).toEqual([
      422,
      ['query', 'backend'],
    ]);
  });

  it('401 with its object and header, on every protected operation and no other', async () => {
    gateway = await startGateway({ LLM_API_TOKENS: 'alpha,beta' });
    const { status, headers, body } = await gateway.post(CHAT, chat(), { authorization: 'Bearer x' });
    expect([status, headers['www-authenticate'], headers['x-should-retry']]).toEqual([
      401,
      'Bearer',
      'false',
    ]);
    expect(body.detail).toEqual({
      error: 'authentication_required',
      message: 'The bearer token is not valid.',
    });
    expect(body.error).toMatchObject({
      message: 'The bearer token is not valid.',
      type: 'authentication_error',
    });
    for (const path of ['/v1/models', '/v1/backends']) expect((await gateway.get(path)).status).toBe(401);
    for (const path of [TEXT, '/v1/models/load', '/v1/models/unload'])
      expect((await gateway.post(path, {})).status).toBe(401);
    for (const path of ['/health', '/ready', '/v1/info']) expect((await gateway.get(path)).status).toBe(200);
    const beta = await gateway.post(CHAT, chat(), { authorization: 'Bearer beta' });
    expect(beta.status).toBe(200);
  });

  it('count with all other requests, by operation and status', async () => {
    gateway = await startGateway({ LLM_API_TOKENS: 'a' });
    await gateway.post(CHAT, chat(), { authorization: 'Bearer a' });
    await gateway.post(CHAT, chat());
    await gateway.post(TEXT, { prompt: 1 }, { authorization: 'Bearer a' });
    gateway.gpu.script = () => {};
    const pending = gateway.send(CHAT, chat(), { authorization: 'Bearer a' });
    await until(() => gateway.gpu.arrivals.length === 2);
    pending.leave();
    const count = (operation: string, status: number) =>
      gateway.metric('limpede_http_requests_total', { service: 'llm', operation, status });
    await until(async () => (await count('chat', 499)) === 1);
    expect([await count('chat', 200), await count('chat', 401), await count('complete', 422)]).toEqual([
      1, 1, 1,
    ]);
    expect(await gateway.metric('limpede_http_request_duration_seconds', { operation: 'chat' })).toBe(3);
  });

  it('our own services are not bound by the rate, but by the places', async () => {
    const settings = { LLM_RATE_LIMIT_BURST: '1', LLM_RATE_LIMIT_RPS: '0.01', LLM_INTERNAL_TOKEN: 'own' };
    gateway = await startGateway({ ...settings, LLM_MAX_CONCURRENT_COMPLETIONS: '1' });
    const own = { authorization: 'Bearer own' };
    for (let index = 0; index < 5; index++) {
      const answer = await gateway.post(CHAT, chat(), own);
      expect([answer.status, answer.headers['ratelimit-limit']]).toEqual([200, undefined]);
      expect((await gateway.get('/v1/models', own)).status).toBe(200);
    }
    expect((await gateway.post(CHAT, chat(), { authorization: 'Bearer other' })).status).toBe(200);
    expect((await gateway.post(CHAT, chat())).status).toBe(429);
    gateway.gpu.script = () => {};
    const pending = gateway.send(CHAT, chat(), own);
    await until(async () => (await gateway.metric('limpede_llm_in_flight')) === 1);
    expect((await gateway.post(CHAT, chat(), own)).status).toBe(503);
    pending.leave();
  });

  it('429 with the time to wait, each caller by its own bucket', async () => {
    gateway = await startGateway({
      LLM_API_TOKENS: 'a,b',
      LLM_RATE_LIMIT_RPS: '0.5',
      LLM_RATE_LIMIT_BURST: '2',
    });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const first = await gateway.post(CHAT, chat(), as('a'));
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '1' });
    await gateway.get('/v1/models', as('a'));
    const { status, headers, body } = await gateway.post(CHAT, chat(), as('a'));
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(headers['retry-after-ms'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after-ms'])).toBeLessThanOrEqual(2000);
    expect(body.error).toMatchObject({ type: 'rate_limit_error' });
    expect((await gateway.get('/v1/models', as('a'))).status).toBe(429);
    expect((await gateway.post(CHAT, chat(), as('b'))).status).toBe(200);
    expect((await gateway.get('/health')).status).toBe(200);
    expect(await gateway.metric('limpede_llm_rejected_total', { reason: 'rate' })).toBe(2);
  });

  it('503 when all places are taken', async () => {
    gateway = await startGateway({ LLM_MAX_CONCURRENT_COMPLETIONS: '1' });
    let release = () => {};
    gateway.gpu.script = ({ response }) => {
      release = () => json(response, 200, plainAnswer);
    };
    const running = gateway.send(CHAT, chat());
    await until(() => gateway.gpu.arrivals.length === 1);
    const { status, headers } = await gateway.post(CHAT, chat());
    expect([status, headers['retry-after'], headers['retry-after-ms']]).toEqual([503, '1', '1000']);
    release();
    expect((await running.answer).status).toBe(200);
    gateway.gpu.script = ({ response }) => json(response, 200, plainAnswer);
    expect((await gateway.post(CHAT, chat())).status).toBe(200);
  });

  it('lets a few wait for a place when a queue is set', async () => {
    gateway = await startGateway({ LLM_MAX_CONCURRENT_COMPLETIONS: '1', LLM_QUEUE_SIZE: '1' });
    const releases: (() => void)[] = [];
    gateway.gpu.script = ({ response }) => releases.push(() => json(response, 200, plainAnswer));
    const first = gateway.send(CHAT, chat());
    await until(() => releases.length === 1);
    const second = gateway.send(CHAT, chat());
    await until(async () => (await gateway.metric('limpede_llm_waiting')) === 1);
    expect((await gateway.post(CHAT, chat())).status).toBe(503);
    releases[0]?.();
    await until(() => releases.length === 2);
    releases[1]?.();
    expect([(await first.answer).status, (await second.answer).status]).toEqual([200, 200]);
  });

  it.each<[string, number, unknown, number, string]>([
    [
      'a bad request',
      400,
      { error: { message: 'context too long', type: 'invalid', code: 'ctx', param: 'messages' } },
      400,
      'context too long',
    ],
    ['an unknown model', 404, { error: { message: 'no model', type: 'NotFoundError' } }, 400, 'no model'],
    ['a refusal in another form', 422, { detail: 'bad field' }, 400, 'bad field'],
    [
      'a refused key',
      401,
      { error: { message: 'Incorrect key sk-123' } },
      500,
      'The gpu backend refused the key of the gateway (401).',
    ],
    [
      'a failure',
      500,
      { error: { message: 'out of memory' } },
      500,
      'The gpu backend answered 500: out of memory',
    ],
    ['a failure without a body', 502, '', 500, 'The gpu backend answered 502.'],
    ['a rate limit', 429, { error: { message: 'slow down' } }, 429, 'slow down'],
    [
      'something that is no completion',
      200,
      '<html>',
      500,
      'The gpu backend answered something else than a completion.',
    ],
  ])('tells %s of the backend', async (_name, given, sent, status, message) => {
    gateway = await startGateway({ LLM_RETRIES: '0' });
    gateway.gpu.script = ({ response }) => json(response, given, sent);
    const answer = await gateway.post(CHAT, chat());
    expect([answer.status, answer.body.detail, (answer.body.error as { message: string }).message]).toEqual([
      status,
      message,
      message,
    ]);
    expect(answer.text).not.toContain('sk-123');
  });

  it('400 for a backend that is not configured', async () => {
    gateway = await startGateway();
    const answer = await gateway.post(CHAT, chat({ backend: 'cloud' }));
    expect([answer.status, answer.body.detail]).toEqual([400, 'The cloud backend is not configured.']);
    expect((await gateway.get('/v1/models?backend=cpu')).status).toBe(400);
    expect((await gateway.post('/v1/models/load', { model: 'm', backend: 'cpu' })).status).toBe(400);
  });
});
