import { afterEach, describe, expect, it } from 'vitest';
import { begin, done, event, json, plainAnswer } from './upstream.ts';
import { CHAT, chat, startWorld, until, type World } from './world.ts';

let world: World;
afterEach(() => world.close());

const CACHE = { LLM_CACHE_MAX_BYTES: '1000000' };
const ok = event('a') + event(undefined, 'stop') + done;

describe('the answer cache', () => {
  it('is off unless it is asked for', async () => {
    world = await startWorld();
    await world.post(CHAT, chat());
    await world.post(CHAT, chat());
    expect(world.gpu.arrivals).toHaveLength(2);
  });

  it('repeats plain answers and streams to the same caller', async () => {
    world = await startWorld({ ...CACHE, LLM_API_TOKENS: 'a,b' });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const first = await world.post(CHAT, chat(), as('a'));
    expect((await world.post(CHAT, chat(), as('a'))).text).toBe(first.text);
    expect(world.gpu.arrivals).toHaveLength(1);
    await world.post(CHAT, chat(), as('b'));
    await world.post(CHAT, chat(), { ...as('a'), 'cache-control': 'no-store' });
    expect(world.gpu.arrivals).toHaveLength(3);
    world.gpu.script = ({ response }) => {
      begin(response);
      response.end(ok);
    };
    await world.post(CHAT, chat({ stream: true }), as('a'));
    const again = await world.post(CHAT, chat({ stream: true }), as('a'));
    expect([again.text, again.headers['content-type']]).toEqual([ok, 'text/event-stream; charset=utf-8']);
    expect(world.gpu.arrivals).toHaveLength(4);
  });

  it('lets one ask for all who want the same', async () => {
    world = await startWorld(CACHE);
    let release = () => {};
    world.gpu.script = ({ response }) => {
      release = () => json(response, 200, plainAnswer);
    };
    const all = Array.from({ length: 5 }, () => world.send(CHAT, chat()));
    await until(async () => (await world.metric('limpede_llm_cache_total', { result: 'shared' })) === 4);
    release();
    const texts = await Promise.all(all.map(async ({ answer }) => (await answer).text));
    expect(new Set(texts).size).toBe(1);
    expect(world.gpu.arrivals).toHaveLength(1);
  });

  it('lets the others go their own way when the one leaves', async () => {
    world = await startWorld(CACHE);
    world.gpu.script = () => {};
    const first = world.send(CHAT, chat());
    await until(() => world.gpu.arrivals.length === 1);
    const second = world.send(CHAT, chat());
    await until(async () => (await world.metric('limpede_llm_cache_total', { result: 'shared' })) === 1);
    world.gpu.script = ({ response }) => json(response, 200, plainAnswer);
    first.leave();
    expect((await second.answer).status).toBe(200);
  });

  it('keeps no failure, no broken stream and nothing that is too large', async () => {
    world = await startWorld({ LLM_CACHE_MAX_BYTES: '2000', LLM_RETRIES: '0' });
    world.gpu.script = ({ response }) => json(response, 500, {});
    await world.post(CHAT, chat());
    world.gpu.script = ({ response }) => json(response, 200, { ...plainAnswer, padding: 'x'.repeat(3000) });
    expect((await world.post(CHAT, chat())).status).toBe(200);
    expect((await world.post(CHAT, chat())).status).toBe(200);
    world.gpu.script = ({ response }) => {
      begin(response);
      response.end(event('a'));
    };
    await world.post(CHAT, chat({ stream: true }));
    await world.post(CHAT, chat({ stream: true }));
    expect(world.gpu.arrivals).toHaveLength(5);
  });
});
