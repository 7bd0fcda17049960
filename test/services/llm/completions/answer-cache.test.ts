import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../patience.ts';
import { CHAT, chat, type RunningGateway, startGateway } from '../running-gateway.ts';
import { begin, done, event, json, plainAnswer } from '../upstream.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

const CACHE = { LLM_CACHE_MAX_BYTES: '1000000' };
const ok = event('a') + event(undefined, 'stop') + done;

describe('the answer cache', () => {
  it('is off unless it is asked for', async () => {
    gateway = await startGateway();
    await gateway.post(CHAT, chat());
    await gateway.post(CHAT, chat());
    expect(gateway.gpu.arrivals).toHaveLength(2);
  });

  it('repeats plain answers and streams to the same caller', async () => {
    gateway = await startGateway({ ...CACHE, LLM_API_TOKENS: 'a,b' });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const first = await gateway.post(CHAT, chat(), as('a'));
    expect((await gateway.post(CHAT, chat(), as('a'))).text).toBe(first.text);
    expect(gateway.gpu.arrivals).toHaveLength(1);
    await gateway.post(CHAT, chat(), as('b'));
    await gateway.post(CHAT, chat(), { ...as('a'), 'cache-control': 'no-store' });
    expect(gateway.gpu.arrivals).toHaveLength(3);
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.end(ok);
    };
    await gateway.post(CHAT, chat({ stream: true }), as('a'));
    const again = await gateway.post(CHAT, chat({ stream: true }), as('a'));
    expect([again.text, again.headers['content-type']]).toEqual([ok, 'text/event-stream; charset=utf-8']);
    expect(gateway.gpu.arrivals).toHaveLength(4);
  });

  it('lets one ask for all who want the same', async () => {
    gateway = await startGateway(CACHE);
    let release = () => {};
    gateway.gpu.script = ({ response }) => {
      release = () => json(response, 200, plainAnswer);
    };
    const all = Array.from({ length: 5 }, () => gateway.send(CHAT, chat()));
    await until(async () => (await gateway.metric('limpede_llm_cache_total', { result: 'shared' })) === 4);
    release();
    const texts = await Promise.all(all.map(async ({ answer }) => (await answer).text));
    expect(new Set(texts).size).toBe(1);
    expect(gateway.gpu.arrivals).toHaveLength(1);
  });

  it('lets the others go their own way when the one leaves', async () => {
    gateway = await startGateway(CACHE);
    gateway.gpu.script = () => {};
    const first = gateway.send(CHAT, chat());
    await until(() => gateway.gpu.arrivals.length === 1);
    const second = gateway.send(CHAT, chat());
    await until(async () => (await gateway.metric('limpede_llm_cache_total', { result: 'shared' })) === 1);
    gateway.gpu.script = ({ response }) => json(response, 200, plainAnswer);
    first.leave();
    expect((await second.answer).status).toBe(200);
  });

  it('keeps no failure, no broken stream and nothing that is too large', async () => {
    gateway = await startGateway({ LLM_CACHE_MAX_BYTES: '2000', LLM_RETRIES: '0' });
    gateway.gpu.script = ({ response }) => json(response, 500, {});
    await gateway.post(CHAT, chat());
    gateway.gpu.script = ({ response }) => json(response, 200, { ...plainAnswer, padding: 'x'.repeat(3000) });
    expect((await gateway.post(CHAT, chat())).status).toBe(200);
    expect((await gateway.post(CHAT, chat())).status).toBe(200);
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.end(event('a'));
    };
    await gateway.post(CHAT, chat({ stream: true }));
    await gateway.post(CHAT, chat({ stream: true }));
    expect(gateway.gpu.arrivals).toHaveLength(5);
  });
});
