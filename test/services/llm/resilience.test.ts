import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type ManualClock, startManualClock, until } from '../../patience.ts';
import {
  type Answer,
  CHAT,
  chat,
  type Pending,
  type RunningGateway,
  startGateway,
} from './running-gateway.ts';
import { begin, done, event, json, plainAnswer } from './upstream.ts';

let gateway: RunningGateway;
let clock: ManualClock | undefined;
const folder = mkdtempSync(join(tmpdir(), 'llm-policy-'));
afterEach(async () => {
  clock?.restore();
  clock = undefined;
  await gateway.close();
});

/** A gateway whose time limits pass only as `pass` says. */
async function startOnClock(...start: Parameters<typeof startGateway>): Promise<void> {
  clock = startManualClock();
  gateway = await startGateway(...start);
}

/** The answer of a request that may be retried: its delays pass. */
async function answerOf({ answer }: Pending): Promise<Answer> {
  let settled = false;
  void answer.finally(() => {
    settled = true;
  });
  await until(async () => {
    await pass(1);
    return settled;
  });
  return answer;
}

/** Lets time pass for the gateway. */
async function pass(milliseconds: number): Promise<void> {
  await clock?.advance(milliseconds);
}

/** A policy file with these contents. */
function policyFile(policy: unknown): string {
  const path = join(folder, 'policy.json');
  writeFileSync(path, typeof policy === 'string' ? policy : JSON.stringify(policy));
  return path;
}

const ok = event('a') + event(undefined, 'stop') + done;
const toCloud = { fallbacks: { m: [{ backend: 'cloud', model: 'c' }] } };

/** Fails the first `times` requests with this status, then answers. */
function failFirst(times: number, status: number, headers: Record<string, string> = {}): void {
  gateway.gpu.script = ({ response }) => {
    if (gateway.gpu.arrivals.length <= times)
      json(response, status, { error: { message: 'not now' } }, headers);
    else json(response, 200, plainAnswer);
  };
}

describe('retries', () => {
  it.each([500, 502, 503, 504, 429, 408])('mend a passing %i', async (status) => {
    gateway = await startGateway();
    failFirst(2, status, { 'retry-after': '0' });
    expect((await gateway.post(CHAT, chat())).status).toBe(200);
    expect(gateway.gpu.arrivals).toHaveLength(3);
    expect(await gateway.metric('limpede_llm_retries_total')).toBe(2);
  });

  it.each([400, 401, 403, 404, 413, 422, 501])('do not repeat a %i', async (status) => {
    gateway = await startGateway();
    failFirst(9, status);
    await gateway.post(CHAT, chat());
    expect(gateway.gpu.arrivals).toHaveLength(1);
  });

  it('mend a connection that breaks before the answer', async () => {
    gateway = await startGateway();
    gateway.gpu.script = ({ response }) => {
      if (gateway.gpu.arrivals.length === 1) response.destroy();
      else json(response, 200, plainAnswer);
    };
    expect((await gateway.post(CHAT, chat())).status).toBe(200);
  });

  it('end in a failure when a call cannot even be made', async () => {
    gateway = await startGateway({ LLM_GPU_API_KEY: 'a\nb', LLM_RETRIES: '1' });
    expect((await gateway.post(CHAT, chat())).status).toBe(500);
    expect(await gateway.metric('limpede_llm_in_flight')).toBe(0);
  });

  it('mend a plain answer that breaks in the middle', async () => {
    gateway = await startGateway();
    gateway.gpu.script = ({ response }) => {
      if (gateway.gpu.arrivals.length > 1) return json(response, 200, plainAnswer);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      return response.write('{"id":', () => response.destroy());
    };
    expect((await gateway.post(CHAT, chat())).body.id).toBe('c1');
  });

  it('obey Retry-After, and pass one on that is beyond the deadline', async () => {
    await startOnClock({ LLM_RETRY_DEADLINE_MS: '1000' });
    failFirst(1, 429, { 'retry-after-ms': '60' });
    const pending = gateway.send(CHAT, chat());
    await until(async () => (await gateway.metric('limpede_llm_retries_total')) === 1);
    await pass(59);
    expect(gateway.gpu.arrivals).toHaveLength(1);
    await pass(1);
    expect((await pending.answer).status).toBe(200);
    failFirst(99, 429, { 'retry-after': '7' });
    const refused = await gateway.post(CHAT, chat());
    expect([refused.status, refused.headers['retry-after'], refused.headers['retry-after-ms']]).toEqual([
      429,
      '7',
      '7000',
    ]);
    expect(gateway.gpu.arrivals).toHaveLength(3);
  });

  it('never follow an event that was sent', async () => {
    gateway = await startGateway();
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('a'), () => response.destroy());
    };
    expect((await gateway.post(CHAT, chat({ stream: true }))).text).toContain('event: error');
    expect(gateway.gpu.arrivals).toHaveLength(1);
  });
});

describe('fallbacks', () => {
  it('answer in place of a backend that fails, with their own model', async () => {
    gateway = await startGateway({ LLM_CONFIG_FILE: policyFile(toCloud), LLM_RETRIES: '1' }, { cloud: true });
    failFirst(99, 500);
    const answer = await gateway.post(CHAT, chat());
    expect([answer.status, answer.body.backend]).toEqual([200, 'cloud']);
    expect(answer.headers['x-limpede-fallbacks']).toBe('1');
    expect((await gateway.post(CHAT, chat({ model: 'c' }))).headers['x-limpede-fallbacks']).toBe('0');
    expect(gateway.cloud.arrivals[0]?.body).toMatchObject({ model: 'c', temperature: 0.7 });
    expect(gateway.cloud.arrivals[0]?.body.chat_template_kwargs).toBeUndefined();
    expect(gateway.gpu.arrivals).toHaveLength(2);
    expect(await gateway.metric('limpede_llm_fallbacks_total', { backend: 'gpu' })).toBe(1);
  });

  it('answer in place of a stream that stalls before its first event, even after comments', async () => {
    const settings = {
      LLM_CONFIG_FILE: policyFile(toCloud),
      LLM_FIRST_EVENT_TIMEOUT_MS: '100',
      LLM_KEEP_ALIVE_MS: '40',
    };
    await startOnClock(settings, { cloud: true });
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(': PROCESSING\n\n');
    };
    gateway.cloud.script = ({ response }) => {
      begin(response);
      response.end(ok);
    };
    const pending = gateway.send(CHAT, chat({ stream: true }));
    await until(() => gateway.gpu.arrivals.length === 1);
    await until(async () => {
      await pass(50);
      return gateway.cloud.arrivals.length === 1;
    });
    const { text } = await pending.answer;
    expect(text.replaceAll(': keep-alive\n\n', '').replaceAll(': PROCESSING\n\n', '')).toBe(ok);
    await gateway.gpu.arrivals[0]?.left;
  });

  it('answer in place of a backend that gives no plain answer', async () => {
    const settings = { LLM_CONFIG_FILE: policyFile(toCloud), LLM_ANSWER_TIMEOUT_MS: '100' };
    await startOnClock(settings, { cloud: true });
    gateway.gpu.script = () => {};
    const pending = gateway.send(CHAT, chat());
    await until(() => gateway.gpu.arrivals.length === 1);
    await pass(150);
    expect((await pending.answer).body.backend).toBe('cloud');
    await gateway.gpu.arrivals[0]?.left;
  });

  it('do not answer in place of a refusal that concerns the request', async () => {
    gateway = await startGateway({ LLM_CONFIG_FILE: policyFile(toCloud) }, { cloud: true });
    failFirst(99, 400);
    expect((await gateway.post(CHAT, chat())).status).toBe(400);
    expect(gateway.cloud.arrivals).toHaveLength(0);
  });

  it('tell the last failure when all fail', async () => {
    gateway = await startGateway({ LLM_CONFIG_FILE: policyFile(toCloud), LLM_RETRIES: '0' }, { cloud: true });
    failFirst(99, 500);
    gateway.cloud.script = ({ response }) => json(response, 502, {});
    const answer = await gateway.post(CHAT, chat());
    expect([answer.status, answer.body.detail]).toEqual([500, 'The cloud backend answered 502.']);
    expect(answer.headers['x-limpede-fallbacks']).toBe('1');
  });
});

describe('time limits', () => {
  it('end a backend that never answers', async () => {
    await startOnClock({ LLM_TOTAL_TIMEOUT_MS: '100' });
    gateway.gpu.script = () => {};
    const pending = gateway.send(CHAT, chat());
    await until(() => gateway.gpu.arrivals.length === 1);
    await pass(150);
    const { status, body } = await pending.answer;
    expect([status, body.detail]).toEqual([500, 'The gpu backend did not answer in time.']);
    await gateway.gpu.arrivals[0]?.left;
  });

  it('end a stream that falls silent between events', async () => {
    await startOnClock({ LLM_EVENT_TIMEOUT_MS: '100' });
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('a'));
    };
    const pending = gateway.send(CHAT, chat({ stream: true }));
    await pending.seen('"a"');
    await pass(150);
    const { text } = await pending.answer;
    expect(text).toContain('did not answer in time');
    expect(text).not.toContain('[DONE]');
    await gateway.gpu.arrivals[0]?.left;
  });

  it('end a stream that never ends', async () => {
    await startOnClock({ LLM_TOTAL_TIMEOUT_MS: '200' });
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('a'));
      const timer = setInterval(() => response.write(event('b')), 10);
      response.on('close', () => clearInterval(timer));
    };
    const pending = gateway.send(CHAT, chat({ stream: true }));
    await pending.seen('"a"');
    await pass(100);
    await pending.seen('"b"');
    await pass(150);
    expect((await pending.answer).text).toContain('event: error');
    await gateway.gpu.arrivals[0]?.left;
  });

  it('are not needed for a connection that is refused', async () => {
    gateway = await startGateway({ LLM_GPU_URL: 'http://127.0.0.1:1', LLM_RETRIES: '0' });
    const { status, body } = await gateway.post(CHAT, chat());
    expect(status).toBe(500);
    expect(body.detail).toBe('The gpu backend could not be reached: the connection was refused.');
  });
});

describe('the circuit', () => {
  it('opens after enough failed requests, answers 503 at once, and closes after a try that succeeds', async () => {
    const settings = { LLM_BREAKER_REQUESTS: '3', LLM_BREAKER_OPEN_MS: '100000', LLM_RETRIES: '2' };
    await startOnClock(settings);
    failFirst(9, 500);
    for (let index = 0; index < 3; index++)
      expect((await answerOf(gateway.send(CHAT, chat()))).status).toBe(500);
    // Three requests of three tries each: requests are counted, not tries.
    expect(gateway.gpu.arrivals).toHaveLength(9);
    const refused = await gateway.post(CHAT, chat());
    expect(refused.status).toBe(503);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    expect(gateway.gpu.arrivals).toHaveLength(9);
    expect(await gateway.metric('limpede_llm_breaker_state', { backend: 'gpu' })).toBe(2);
    await pass(100_000);
    expect((await gateway.post(CHAT, chat())).status).toBe(200);
    expect(await gateway.metric('limpede_llm_breaker_state', { backend: 'gpu' })).toBe(0);
  });

  it('closes at the first event of a stream that tries', async () => {
    await startOnClock({ LLM_BREAKER_REQUESTS: '1', LLM_BREAKER_OPEN_MS: '30', LLM_RETRIES: '0' });
    failFirst(1, 500);
    await gateway.post(CHAT, chat());
    expect(await gateway.metric('limpede_llm_breaker_state', { backend: 'gpu' })).not.toBe(0);
    await pass(40);
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('a'));
    };
    const pending = gateway.send(CHAT, chat({ stream: true }));
    await pending.seen('"a"');
    expect(await gateway.metric('limpede_llm_breaker_state', { backend: 'gpu' })).toBe(0);
    pending.leave();
  });

  it('sends requests to the fallback while it is open', async () => {
    const settings = { LLM_BREAKER_REQUESTS: '1', LLM_RETRIES: '0', LLM_CONFIG_FILE: policyFile(toCloud) };
    gateway = await startGateway(settings, { cloud: true });
    failFirst(99, 500);
    await gateway.post(CHAT, chat());
    const answer = await gateway.post(CHAT, chat());
    expect([answer.body.backend, answer.headers['x-limpede-fallbacks']]).toEqual(['cloud', '1']);
    expect(gateway.gpu.arrivals).toHaveLength(1);
  });
});

describe('the policy file', () => {
  it('is read again on SIGHUP without harm to a running stream', async () => {
    const path = policyFile({});
    gateway = await startGateway({ LLM_CONFIG_FILE: path, LLM_RETRIES: '0' }, { cloud: true });
    let release = () => {};
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('a'));
      release = () => response.end(event(undefined, 'stop') + done);
    };
    const pending = gateway.send(CHAT, chat({ stream: true }));
    await pending.seen('"a"');
    writeFileSync(path, JSON.stringify({ ...toCloud, limits: { max_concurrent_completions: 1 } }));
    process.emit('SIGHUP', 'SIGHUP');
    await until(async () => (await gateway.post(CHAT, chat({ model: 'c' }))).status === 503);
    release();
    expect((await pending.answer).text).toBe(ok);
    failFirst(99, 500);
    expect((await gateway.post(CHAT, chat())).body.backend).toBe('cloud');
  });

  it('lets those in who wait when it gives more places', async () => {
    const path = policyFile({ limits: { max_concurrent_completions: 1, queue_size: 5 } });
    gateway = await startGateway({ LLM_CONFIG_FILE: path });
    gateway.gpu.script = () => {};
    const all = [gateway.send(CHAT, chat()), gateway.send(CHAT, chat())];
    await until(async () => (await gateway.metric('limpede_llm_waiting')) === 1);
    writeFileSync(path, JSON.stringify({ limits: { max_concurrent_completions: 2, queue_size: 5 } }));
    process.emit('SIGHUP', 'SIGHUP');
    await until(() => gateway.gpu.arrivals.length === 2);
    for (const one of all) one.leave();
  });

  it.each([
    ['not there', () => '/nowhere/policy.json', /LLM_CONFIG_FILE: .*nowhere/],
    ['no JSON', () => policyFile('{'), /LLM_CONFIG_FILE: /],
    [
      'of another shape',
      () => policyFile({ prices: { m: { input: -1 } }, more: 1 }),
      /prices\.m\.input: [\s\S]*more/,
    ],
  ])('is told at the start when it is %s', async (_name, path, message) => {
    gateway = await startGateway();
    await expect(startGateway({ LLM_CONFIG_FILE: path() })).rejects.toThrow(message);
  });

  it('changes nothing when it is faulty', async () => {
    const path = policyFile(toCloud);
    gateway = await startGateway({ LLM_CONFIG_FILE: path, LLM_RETRIES: '0' }, { cloud: true });
    writeFileSync(path, '{"fallbacks":');
    process.emit('SIGHUP', 'SIGHUP');
    failFirst(99, 500);
    expect((await gateway.post(CHAT, chat())).body.backend).toBe('cloud');
    rmSync(folder, { recursive: true, force: true });
  });
});
