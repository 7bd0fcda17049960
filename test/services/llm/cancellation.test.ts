import { afterEach, describe, expect, it } from 'vitest';
import { startManualClock, until } from '../../patience.ts';
import { CHAT, chat, type RunningGateway, startGateway } from './running-gateway.ts';
import { begin, event, json, plainAnswer } from './upstream.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

const running = () => gateway.metric('limpede_llm_in_flight');

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
    gateway = await startGateway({ LLM_MAX_CONCURRENT_COMPLETIONS: '1' });
    gateway.gpu.script = ({ response }) => act(response);
    const pending = gateway.send(CHAT, chat({ stream }));
    await until(() => gateway.gpu.arrivals.length === 1);
    if (_name.endsWith('middle')) await pending.seen('"a"');
    expect(await running()).toBe(1);
    pending.leave();
    await gateway.gpu.arrivals[0]?.left;
    expect(await running()).toBe(0);
    expect(await gateway.metric('limpede_llm_completions_total', { outcome: 'aborted' })).toBe(1);
  });

  it('leaves the queue', async () => {
    gateway = await startGateway({ LLM_MAX_CONCURRENT_COMPLETIONS: '1', LLM_QUEUE_SIZE: '5' });
    gateway.gpu.script = () => {};
    const first = gateway.send(CHAT, chat());
    await until(() => gateway.gpu.arrivals.length === 1);
    const second = gateway.send(CHAT, chat());
    await until(async () => (await gateway.metric('limpede_llm_waiting')) === 1);
    second.leave();
    await until(async () => (await gateway.metric('limpede_llm_waiting')) === 0);
    first.leave();
    await until(async () => (await running()) === 0);
    expect(gateway.gpu.arrivals).toHaveLength(1);
  });

  it('ends the wait for a retry', async () => {
    const clock = startManualClock();
    try {
      gateway = await startGateway();
      gateway.gpu.script = ({ response }) => json(response, 503, {}, { 'retry-after-ms': '300' });
      const pending = gateway.send(CHAT, chat());
      await until(async () => (await gateway.metric('limpede_llm_retries_total')) === 1);
      pending.leave();
      await until(async () => (await running()) === 0);
      await clock.advance(400);
    } finally {
      clock.restore();
    }
    gateway.gpu.script = ({ response }) => json(response, 200, plainAnswer);
    expect((await gateway.post(CHAT, chat())).status).toBe(200);
    expect(gateway.gpu.arrivals).toHaveLength(2);
  });

  it('never counts against the backend', async () => {
    gateway = await startGateway({ LLM_BREAKER_REQUESTS: '2' });
    gateway.gpu.script = () => {};
    for (let index = 0; index < 6; index++) {
      const pending = gateway.send(CHAT, chat());
      await until(() => gateway.gpu.arrivals.length === index + 1);
      pending.leave();
      await gateway.gpu.arrivals[index]?.left;
    }
    expect(await gateway.metric('limpede_llm_breaker_state', { backend: 'gpu' })).toBe(0);
  });

  it('a hundred at once leave nothing behind', async () => {
    gateway = await startGateway({ LLM_MAX_CONCURRENT_COMPLETIONS: '100' });
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('a'));
    };
    const all = Array.from({ length: 100 }, () => gateway.send(CHAT, chat({ stream: true })));
    await Promise.all(all.map((one) => one.seen('"a"')));
    expect(await running()).toBe(100);
    for (const one of all) one.leave();
    await Promise.all(gateway.gpu.arrivals.map(({ left }) => left));
    expect(await running()).toBe(0);
  });
});
