import { afterEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../world.ts';

let world: World;
afterEach(() => world.close());

const LOAD = '/v1/models/load';
const UNLOAD = '/v1/models/unload';
const model = { model: 'm', backend: 'gpu' };

async function loaded(): Promise<unknown> {
  const { body } = await world.get('/v1/models');
  return (body.data as { loaded: boolean }[])[0]?.loaded;
}

describe('loading and unloading', () => {
  it('goes through the router of llama.cpp, and waits until it is true', async () => {
    world = await startWorld();
    let status = 'unloaded';
    const listed = () => [{ id: 'm', status: { value: status } }];
    world.gpu.models = listed();
    const list = (): [number, unknown] => [200, { data: listed() }];
    world.gpu.extras['GET /v1/models'] = list;
    world.gpu.extras['GET /models'] = list;
    world.gpu.extras['POST /models/load'] = () => {
      status = 'loading';
      setTimeout(() => {
        status = 'loaded';
      }, 50);
      return [200, { success: true }];
    };
    world.gpu.extras['POST /models/unload'] = () => {
      status = 'unloaded';
      return [200, { success: true }];
    };
    const load = await world.post(LOAD, model);
    expect(load.body).toEqual({ success: true, ...model, message: 'The model m loaded.' });
    expect(await loaded()).toBe(true);
    expect((await world.post(UNLOAD, model)).body.message).toBe('The model m unloaded.');
    expect(await loaded()).toBe(false);
    const unknown = await world.post(LOAD, { ...model, model: 'x' });
    expect([unknown.status, unknown.body.detail]).toEqual([400, 'The gpu server has no model x.']);
  });

  it('goes through keep_alive of Ollama, which tells elsewhere what is in memory', async () => {
    world = await startWorld();
    const kept: unknown[] = [];
    let running: { model: string }[] = [];
    world.gpu.extras['GET /api/version'] = () => [200, { version: '0.6' }];
    world.gpu.extras['GET /api/ps'] = () => [200, { models: running }];
    world.gpu.extras['POST /api/generate'] = ({ model: name, keep_alive }) => {
      kept.push(keep_alive);
      if (name !== 'm') return [404, { error: 'model not found' }];
      running = keep_alive === 0 ? [] : [{ model: 'm' }];
      return [200, { done: true }];
    };
    await world.post(LOAD, model);
    expect(await loaded()).toBe(true);
    await world.post(UNLOAD, model);
    expect(await loaded()).toBe(false);
    expect(kept).toEqual([-1, 0]);
    const unknown = await world.post(LOAD, { ...model, model: 'x' });
    expect([unknown.status, unknown.body.detail]).toEqual([400, 'model not found']);
  });

  it('wakes and sends vLLM to sleep', async () => {
    world = await startWorld();
    let asleep = true;
    world.gpu.extras['GET /is_sleeping'] = () => [200, { is_sleeping: asleep }];
    world.gpu.extras['POST /wake_up'] = () => {
      asleep = false;
      return [200, {}];
    };
    world.gpu.extras['POST /sleep?level=1'] = () => {
      asleep = true;
      return [200, {}];
    };
    expect((await world.post(LOAD, model)).status).toBe(200);
    expect(asleep).toBe(false);
    expect((await world.post(UNLOAD, model)).status).toBe(200);
    expect(asleep).toBe(true);
  });

  it('says plainly what a server cannot do', async () => {
    world = await startWorld();
    expect((await world.post(LOAD, model)).body.message).toBe('The model m is loaded.');
    const unload = await world.post(UNLOAD, model);
    expect([unload.status, unload.body.detail]).toEqual([
      400,
      'The gpu server offers no way to unload a model.',
    ]);
  });

  it('answers 500 when the server is away', async () => {
    world = await startWorld({ LLM_GPU_URL: 'http://127.0.0.1:1' });
    expect((await world.post(LOAD, model)).status).toBe(500);
  });
});
