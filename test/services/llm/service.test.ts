import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../patience.ts';
import { CHAT, chat, type RunningGateway, startGateway, TEXT } from './running-gateway.ts';
import { json } from './upstream.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

describe('chat', () => {
  it('answers with the reply of the backend, byte for byte, and its name', async () => {
    gateway = await startGateway();
    const vendor =
      '{"id":"x","big":12345678901234567890,"choices":[ ],"reasoning":"\\u0219","usage":{"prompt_tokens":1,"total_tokens":1}}';
    gateway.gpu.script = ({ response }) => json(response, 200, vendor);
    const { status, headers, text } = await gateway.post(CHAT, chat());
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(text).toBe(`${vendor.slice(0, -1)},"backend":"gpu"}`);
  });

  it('sends the body on byte for byte apart from the named changes', async () => {
    gateway = await startGateway();
    const body =
      '{ "model":"m", "messages":[{"role":"user","content":[{"type":"text","text":"\\u0219"}]}], "tools":[{"type":"function"}], "response_format":{"type":"json_schema"}, "logprobs":true, "seed":12345678901234567890, "min_p":0.10, "guided_json":{}, "backend":"gpu" }';
    await gateway.post(CHAT, body);
    const expected = body
      .replace(', "backend":"gpu"', '')
      .replace('{ "model"', '{"temperature":0.7,"chat_template_kwargs":{"enable_thinking":false}, "model"');
    expect(gateway.gpu.arrivals[0]?.text).toBe(expected);
  });

  it('takes over, makes, forwards and echoes the request id', async () => {
    gateway = await startGateway();
    const named = await gateway.post(CHAT, chat(), { 'x-request-id': 'mine-1' });
    expect(named.headers['x-request-id']).toBe('mine-1');
    expect(gateway.gpu.arrivals[0]?.headers['x-request-id']).toBe('mine-1');
    const made = await gateway.post(CHAT, chat());
    expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(gateway.gpu.arrivals[1]?.headers['x-request-id']).toBe(made.headers['x-request-id']);
    const refused = await gateway.post(CHAT, chat(), { 'x-request-id': 'x'.repeat(500) });
    expect(refused.headers['x-request-id']).toHaveLength(36);
    const models = await gateway.get('/v1/models', { 'x-request-id': 'mine-2' });
    expect(models.headers['x-request-id']).toBe('mine-2');
  });

  it('keeps the keys of callers from backends, and sends the key of the backend', async () => {
    gateway = await startGateway({ LLM_API_TOKENS: 'alpha' }, { cloud: true });
    await gateway.post(CHAT, chat({ model: 'c' }), { authorization: 'Bearer alpha' });
    expect(gateway.cloud.arrivals[0]?.headers.authorization).toBe('Bearer secret');
    await gateway.post(CHAT, chat(), { authorization: 'Bearer alpha' });
    expect(gateway.gpu.arrivals[0]?.headers.authorization).toBeUndefined();
  });

  it('answers requests that come through the framework as well', async () => {
    gateway = await startGateway();
    const answer = await gateway.post(`${CHAT}?a=1`, chat());
    expect(answer.body.backend).toBe('gpu');
    expect(answer.headers['x-request-id']).toHaveLength(36);
  });

  it('takes bodies of many megabytes, and refuses those beyond its limit', async () => {
    gateway = await startGateway({ LLM_MAX_BODY_BYTES: '3000000' });
    const picture = (size: number) =>
      chat({
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'A'.repeat(size) } }] }],
      });
    expect((await gateway.post(CHAT, picture(2_500_000))).status).toBe(200);
    expect(gateway.gpu.arrivals[0]?.text.length).toBeGreaterThan(2_500_000);
    expect((await gateway.post(CHAT, picture(3_500_000))).status).toBe(413);
  });
});

describe('large bodies on their way', () => {
  it('have a limit together, and give their room back', async () => {
    gateway = await startGateway({ LLM_MAX_BODY_BYTES: '100000' });
    const { connect } = await import('node:net');
    const sockets = Array.from({ length: 20 }, () => connect(Number(new URL(gateway.url).port), '127.0.0.1'));
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.write(
        `POST ${CHAT} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99999\r\n\r\n{${' '.repeat(90_000)}`,
      );
    }
    await until(
      async () => (await gateway.metric('limpede_llm_rejected_total', { reason: 'concurrency' })) >= 3,
    );
    expect((await gateway.post(CHAT, chat())).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    const large = chat({ user: 'x'.repeat(90_000) });
    await until(async () => (await gateway.post(CHAT, large)).status === 200);
    const twice = await Promise.all([gateway.post(CHAT, large), gateway.post(CHAT, large)]);
    expect(twice.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('text completions', () => {
  it('fill in the default model and pass the rest', async () => {
    gateway = await startGateway();
    const answer = await gateway.post(TEXT, '{"prompt":["a"],"echo":true}');
    expect(answer.body.backend).toBe('gpu');
    expect(gateway.gpu.arrivals[0]?.text).toBe('{"model":"m","temperature":0.7,"prompt":["a"],"echo":true}');
  });

  it('501 where the backend has none, and no retry', async () => {
    gateway = await startGateway();
    gateway.gpu.script = ({ response }) => json(response, 404, { detail: 'Not Found' });
    const { status, headers, body } = await gateway.post(TEXT, { prompt: 'a' });
    expect([status, headers['x-should-retry']]).toEqual([501, 'false']);
    expect(body.detail).toBe('The gpu backend offers no text completions.');
    expect(gateway.gpu.arrivals).toHaveLength(1);
  });

  it('tell an unknown model from a missing operation', async () => {
    gateway = await startGateway();
    gateway.gpu.script = ({ response }) =>
      json(response, 404, { error: { message: 'The model x does not exist' } });
    expect((await gateway.post(TEXT, { prompt: 'a', model: 'x' })).status).toBe(400);
  });

  it('are not streamed', async () => {
    gateway = await startGateway();
    expect((await gateway.post(TEXT, { prompt: 'a', stream: true })).status).toBe(400);
  });
});

describe('backends and models', () => {
  it('belong together by the listing; a named backend wins', async () => {
    gateway = await startGateway({}, { cloud: true });
    expect((await gateway.post(CHAT, chat({ model: 'c' }))).body.backend).toBe('cloud');
    expect((await gateway.post(CHAT, chat({ model: 'm' }))).body.backend).toBe('gpu');
    expect((await gateway.post(CHAT, chat({ model: 'nobody' }))).body.backend).toBe('gpu');
    expect((await gateway.post(CHAT, chat({ model: 'm', backend: 'cloud' }))).body.backend).toBe('cloud');
  });

  it('are listed with what the servers tell of them', async () => {
    gateway = await startGateway({}, { cloud: true });
    const all = await gateway.get('/v1/models');
    expect(all.body).toEqual({
      object: 'list',
      data: [
        {
          id: 'c',
          object: 'model',
          created: 1,
          owned_by: 'test',
          backend: 'cloud',
          loaded: true,
          context_length: 8192,
          capabilities: ['chat'],
        },
        {
          id: 'm',
          object: 'model',
          created: 1,
          owned_by: 'test',
          backend: 'gpu',
          loaded: true,
          context_length: 4096,
          capabilities: ['chat'],
        },
      ],
    });
    const one = await gateway.get('/v1/models?backend=gpu');
    expect((one.body.data as { id: string }[]).map(({ id }) => id)).toEqual(['m']);
    expect((await gateway.get('/v1/backends')).body).toEqual({ backends: ['cloud', 'gpu'] });
  });

  it('that hang hold up neither the readiness of the default one nor its models', async () => {
    const { createServer } = await import('node:net');
    const hanging = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await new Promise((resolve) => hanging.once('listening', resolve));
    const { port } = hanging.address() as { port: number };
    gateway = await startGateway({ LLM_CLOUD_URL: `http://127.0.0.1:${port}` });
    const health = gateway.send('/health');
    expect((await gateway.get('/ready')).body).toEqual({ ready: true });
    expect((await gateway.get('/v1/models?backend=gpu')).body.data).toHaveLength(1);
    health.leave();
    hanging.close();
  });

  it('are healthy, degraded or unhealthy', async () => {
    gateway = await startGateway({ LLM_CLOUD_URL: 'http://127.0.0.1:1' });
    const { body } = await gateway.get('/health');
    expect(body).toEqual({
      status: 'degraded',
      backends: [
        { name: 'cloud', healthy: false, message: 'the connection was refused' },
        { name: 'gpu', healthy: true, message: null },
      ],
    });
    expect((await gateway.get('/ready')).body).toEqual({ ready: true });
  });

  it('without any: unhealthy, not ready, and 400 says what is missing', async () => {
    gateway = await startGateway({ LLM_GPU_URL: '' });
    const { body: health } = await gateway.get('/health');
    expect(health).toMatchObject({ status: 'unhealthy', backends: [{ name: 'cpu', healthy: false }] });
    expect(JSON.stringify(health)).toMatch(/limpede setup llama|GGUF/);
    expect((await gateway.get('/v1/backends')).body).toEqual({ backends: [] });
    expect((await gateway.get('/v1/models')).body).toEqual({ object: 'list', data: [] });
    const models = await gateway.get('/v1/models?backend=cpu');
    expect([models.status, String(models.body.detail)]).toEqual([
      400,
      expect.stringMatching(/limpede setup llama|GGUF/),
    ]);
    const ready = await gateway.get('/ready');
    expect([ready.status, ready.body]).toEqual([503, { ready: false }]);
    const answer = await gateway.post(CHAT, chat());
    expect(answer.status).toBe(400);
    expect(String(answer.body.detail)).toContain('LLM_GPU_URL');
  });

  it('are described for the catalogue', async () => {
    gateway = await startGateway();
    const { body } = await gateway.get('/v1/info');
    expect(body.resource).toMatchObject({ name: 'llm', version: '1.2.3' });
    expect((body.models as { id: string }[]).map(({ id }) => id)).toEqual(['m']);
    expect((body.functions as { path: string }[]).map(({ path }) => path)).toContain(CHAT);
  });
});
