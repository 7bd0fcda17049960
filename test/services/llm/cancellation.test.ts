import { afterEach, describe, expect, it } from 'vitest';
import { begin, event, json } from './upstream.ts';
import { CHAT, chat, startWorld, until, type World } from './world.ts';

let world: World;
afterEach(() => world.close());

const running = () => world.metric('limpede_llm_in_flight');

describe('a caller that leaves', () => {
  it.each<[string, boolean, (response: import('node:http').ServerResponse) => void]>([
    ['a plain call', false, () => {}],
    ['a stream before its head', true, () => {}],
    ['a stream before its first event', true, begin],
    [
      'a stream in the middle',
      true,
      (response) => {
        begin(response);
        response.write(event('a'));
      },
    ],
  ])('stops %s at the backend and frees its place', async (_name, stream, act) => {
    world = await startWorld({ LLM_MAX_CONCURRENT_COMPLETIONS: '1' });
    world.gpu.script = ({ response }) => act(response);
    const pending = world.send(CHAT, chat({ stream }));
    await until(() => world.gpu.arrivals.length === 1);
    if (_name.endsWith('middle')) await pending.seen('"a"');
    expect(await running()).toBe(1);
    pending.leave();
    await world.gpu.arrivals[0]?.left;
    expect(await running()).toBe(0);
    expect(await world.metric('limpede_llm_completions_total', { outcome: 'aborted' })).toBe(1);
  });

  it('leaves the queue', async () => {
    world = await startWorld({ LLM_MAX_CONCURRENT_COMPLETIONS: '1', LLM_QUEUE_SIZE: '5' });
    world.gpu.script = () => {};
    const first = world.send(CHAT, chat());
    await until(() => world.gpu.arrivals.length === 1);
    const second = world.send(CHAT, chat());
    await until(async () => (await world.metric('limpede_llm_waiting')) === 1);
    second.leave();
    await until(async () => (await world.metric('limpede_llm_waiting')) === 0);
    first.leave();
    await until(async () => (await running()) === 0);
    expect(world.gpu.arrivals).toHaveLength(1);
  });

  it('ends the wait for a retry', async () => {
    world = await startWorld();
    world.gpu.script = ({ response }) => json(response, 503, {}, { 'retry-after-ms': '300' });
    const pending = world.send(CHAT, chat());
    await until(async () => (await world.metric('limpede_llm_retries_total')) === 1);
    pending.leave();
    await until(async () => (await running()) === 0);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(world.gpu.arrivals).toHaveLength(1);
  });

  it('never counts against the backend', async () => {
    world = await startWorld({ LLM_BREAKER_REQUESTS: '2' });
    world.gpu.script = () => {};
    for (let index = 0; index < 6; index++) {
      const pending = world.send(CHAT, chat());
      await until(() => world.gpu.arrivals.length === index + 1);
      pending.leave();
      await world.gpu.arrivals[index]?.left;
    }
    expect(await world.metric('limpede_llm_breaker_state', { backend: 'gpu' })).toBe(0);
  });

  it('a hundred at once leave nothing behind', async () => {
    world = await startWorld({ LLM_MAX_CONCURRENT_COMPLETIONS: '100' });
    world.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('a'));
    };
    const all = Array.from({ length: 100 }, () => world.send(CHAT, chat({ stream: true })));
    await Promise.all(all.map((one) => one.seen('"a"')));
    expect(await running()).toBe(100);
    for (const one of all) one.leave();
    await Promise.all(world.gpu.arrivals.map(({ left }) => left));
    expect(await running()).toBe(0);
  });
});
