import { afterEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../running-gateway.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

const LOAD = '/v1/models/load';
const UNLOAD = '/v1/models/unload';
const model = { model: 'm', backend: 'gpu' };

async function loaded(): Promise<unknown> {
  const { body } = await gateway.get('/v1/models');
  return (body.data as { loaded: boolean }[])[0]?.loaded;
}

describe('loading and unloading', () => {
  it('goes through the router of llama.cpp, and waits until it is true', async () => {
    gateway = await startGateway();
    let status = 'unloaded';
    const listed = () => [{ id: 'm', status: { value: status } }];
    gateway.gpu.models = listed();
    const list = (): [number, unknown] => [200, { data: listed() }];
    gateway.gpu.extras['GET /v1/models'] = list;
    gateway.gpu.extras['GET /models'] = list;
    gateway.gpu.extras['POST /models/load'] = () => {
      status = 'loading';
      setTimeout(() => {
        status = 'loaded';
      }, 50);
      return [200, { success: true }];
    };
    gateway.gpu.extras['POST /models/unload'] = () => {
      status = 'unloaded';
      return [200, { success: true }];
    };
    const load = await gateway.post(LOAD, model);
    expect(load.body).toEqual({ success: true, ...model, message: 'The model m loaded.' });
    expect(await loaded()).toBe(true);
    expect((await gateway.post(UNLOAD, model)).body.message).toBe('The model m unloaded.');
    expect(await loaded()).toBe(false);
    const unknown = await gateway.post(LOAD, { ...model, model: 'x' });
    expect([unknown.status, unknown.body.detail]).toEqual([400, 'The gpu server has no model x.']);
  });

  it('goes through keep_alive of Ollama, which tells elsewhere what is in memory', async () => {
    gateway = await startGateway();
    const kept: unknown[] = [];
    let running: { model: string }[] = [];
    gateway.gpu.extras['GET /api/version'] = () => [200, { version: '0.6' }];
    gateway.gpu.extras['GET /api/ps'] = () => [200, { models: running }];
    gateway.gpu.extras['POST /api/generate'] = ({ model: name, keep_alive }) => {
      kept.push(keep_alive);
      if (name !== 'm') return [404, { error: 'model not found' }];
      running = keep_alive === 0 ? [] : [{ model: 'm' }];
      return [200, { done: true }];
    };
    await gateway.post(LOAD, model);
    expect(await loaded()).toBe(true);
    await gateway.post(UNLOAD, model);
    expect(await loaded()).toBe(false);
    expect(kept).toEqual([-1, 0]);
    const unknown = await gateway.post(LOAD, { ...model, model: 'x' });
    expect([unknown.status, unknown.body.detail]).toEqual([400, 'model not found']);
  });

  it('wakes and sends vLLM to sleep', async () => {
    gateway = await startGateway();
    let asleep = true;
    gateway.gpu.extras['GET /is_sleeping'] = () => [200, { is_sleeping: asleep }];
    gateway.gpu.extras['POST /wake_up'] = () => {
      asleep = false;
      return [200, {}];
    };
    gateway.gpu.extras['POST /sleep?level=1'] = () => {
      asleep = true;
      return [200, {}];
    };
    expect((await gateway.post(LOAD, model)).status).toBe(200);
    expect(asleep).toBe(false);
    expect((await gateway.post(UNLOAD, model)).status).toBe(200);
    expect(asleep).toBe(true);
  });

  it('says plainly what a server cannot do', async () => {
    gateway = await startGateway();
    expect((await gateway.post(LOAD, model)).body.message).toBe('The model m is loaded.');
    const unload = await gateway.post(UNLOAD, model);
    expect([unload.status, unload.body.detail]).toEqual([
      400,
      'The gpu server offers no way to unload a model.',
    ]);
  });

  it('answers 500 when the server is away', async () => {
    gateway = await startGateway({ LLM_GPU_URL: 'http://127.0.0.1:1' });
    expect((await gateway.post(LOAD, model)).status).toBe(500);
  });
});
