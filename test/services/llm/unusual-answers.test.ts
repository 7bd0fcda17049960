import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../patience.ts';
import { CHAT, chat, type RunningGateway, startGateway, TEXT } from './running-gateway.ts';
import { begin, done, event, json, plainAnswer, startUpstream } from './upstream.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

const streamed = (more: Record<string, unknown> = {}) => chat({ stream: true, ...more });
const whole = event('a') + event('ș 😀') + event(undefined, 'stop');

/** Answers a stream of these texts at once. */
function say(...texts: string[]): void {
  gateway.gpu.script = ({ response }) => {
    begin(response);
    response.end(texts.join(''));
  };
}

describe('compressed answers', () => {
  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const)('are unpacked: %s', async (encoding, pack) => {
    gateway = await startGateway();
    gateway.gpu.script = ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
      response.end(pack(JSON.stringify(plainAnswer)));
    };
    expect((await gateway.post(CHAT, chat())).body).toEqual({ ...plainAnswer, backend: 'gpu' });
  });

  it('are unpacked event by event in a stream', async () => {
    gateway = await startGateway();
    let end = () => {};
    gateway.gpu.script = ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const packed = createGzip();
      packed.pipe(response);
      packed.write(event('first'));
      packed.flush();
      end = () => packed.end(event(undefined, 'stop') + done);
    };
    const pending = gateway.send(CHAT, streamed());
    await pending.seen('first');
    end();
    expect((await pending.answer).text).toBe(event('first') + event(undefined, 'stop') + done);
  });

  it.each([
    ['gzip', Buffer.from('this is no gzip')],
    ['gzip', gzipSync(JSON.stringify(plainAnswer)).subarray(0, 60)],
    ['snappy', Buffer.from(JSON.stringify(plainAnswer))],
  ])('that cannot be unpacked (%s) are a failure', async (encoding, body) => {
    gateway = await startGateway({ LLM_RETRIES: '0' });
    gateway.gpu.script = ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
      response.end(body);
    };
    expect((await gateway.post(CHAT, chat())).status).toBe(500);
    expect(await gateway.metric('limpede_llm_in_flight')).toBe(0);
  });
});

describe('an error behind a 200', () => {
  it.each<[unknown, number, number, string]>([
    [{ error: { message: 'busy', code: 502 } }, 500, 3, 'The gpu backend answered 502: busy'],
    [{ error: { message: 'too long', code: 400 } }, 400, 1, 'too long'],
    [{ error: { message: 'slow', code: 429 } }, 429, 3, 'slow'],
    [{ error: 'no such model', choices: [] }, 500, 3, 'The gpu backend answered 500: no such model'],
    [{ object: 'error', message: 'bad', code: 400 }, 400, 1, 'bad'],
    [{ hello: 'gateway' }, 500, 3, 'The gpu backend answered something else than a completion.'],
  ])('is told as what it is: %j', async (body, status, tries, message) => {
    gateway = await startGateway({ LLM_RETRY_DEADLINE_MS: '5000' });
    gateway.gpu.script = ({ response }) => json(response, 200, body, { 'retry-after-ms': '1' });
    const plain = await gateway.post(CHAT, chat());
    expect([plain.status, plain.body.detail]).toEqual([status, message]);
    expect(gateway.gpu.arrivals).toHaveLength(tries);
  });

  it('is told where a stream was asked for', async () => {
    gateway = await startGateway();
    gateway.gpu.script = ({ response }) => json(response, 200, { error: { message: 'too long', code: 400 } });
    const answer = await gateway.post(CHAT, streamed());
    expect([answer.status, answer.body.detail]).toEqual([400, 'too long']);
  });

  it('is told with the words of the backend when it is the first event', async () => {
    gateway = await startGateway();
    say('data: {"error":{"message":"too long","code":400}}\n\n', done);
    const refused = await gateway.post(CHAT, streamed());
    expect([refused.status, refused.body.detail]).toEqual([400, 'too long']);
    say('event: error\ndata: {"object":"error","message":"wrong","code":400}\n\n', done);
    expect((await gateway.post(CHAT, streamed())).body.detail).toBe('wrong');
    expect(gateway.gpu.arrivals).toHaveLength(2);
  });

  it('is no error when its field is null, and one when the finish says so', async () => {
    gateway = await startGateway();
    const odd = 'data: {"error":null,"choices":[{"delta":{"content":"a"},"finish_reason":null}]}\n\n';
    say(odd, event(undefined, 'stop'), done);
    expect((await gateway.post(CHAT, streamed())).text).toBe(odd + event(undefined, 'stop') + done);
    say(event('a'), event(undefined, 'error'), done);
    await gateway.post(CHAT, streamed());
    expect(await gateway.metric('limpede_llm_completions_total', { outcome: 'ok' })).toBe(1);
    expect(await gateway.metric('limpede_llm_completions_total', { outcome: 'error' })).toBe(1);
  });
});

describe('the wrong kind of answer', () => {
  it('is not asked for again when a stream was wanted and a whole completion came', async () => {
    gateway = await startGateway();
    gateway.gpu.script = ({ response }) => {
      response.writeHead(200, { 'content-type': 'Application/JSON; charset=utf-8' });
      response.end(JSON.stringify(plainAnswer));
    };
    expect((await gateway.post(CHAT, streamed())).status).toBe(500);
    expect(gateway.gpu.arrivals).toHaveLength(1);
  });

  it('is a failure when events came for a plain request', async () => {
    gateway = await startGateway({ LLM_RETRIES: '0' });
    say(whole, done);
    expect((await gateway.post(CHAT, chat())).status).toBe(500);
  });
});

describe('a stream that said [DONE]', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['stays open', () => {}],
    ['is cut', (response) => setTimeout(() => response.destroy(), 20)],
  ])('is complete even when it %s', async (_name, after) => {
    gateway = await startGateway({ LLM_EVENT_TIMEOUT_MS: '200', LLM_BREAKER_REQUESTS: '1' });
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(whole + done);
      after(response);
    };
    expect((await gateway.post(CHAT, streamed())).text).toBe(whole + done);
    await gateway.gpu.arrivals[0]?.left;
    expect(await gateway.metric('limpede_llm_completions_total', { outcome: 'ok' })).toBe(1);
    expect(await gateway.metric('limpede_llm_breaker_state', { backend: 'gpu' })).toBe(0);
  });
});

describe('huge streams', () => {
  it('pass an event of many megabytes that comes in small pieces', async () => {
    gateway = await startGateway();
    const big = event('x'.repeat(24 * 1024 * 1024));
    gateway.gpu.script = ({ response }) => {
      begin(response);
      let at = 0;
      const more = () => {
        while (at < big.length) {
          const piece = big.slice(at, at + 16_384);
          at += piece.length;
          if (!response.write(piece)) return void response.once('drain', more);
        }
        response.end(event(undefined, 'stop') + done);
      };
      more();
    };
    const { text } = await gateway.post(CHAT, streamed());
    expect(text.length).toBe(big.length + event(undefined, 'stop').length + done.length);
  });

  it('are cut at the limit for one event', async () => {
    gateway = await startGateway({ LLM_MAX_ANSWER_BYTES: '100000' });
    say(event('a'), event('x'.repeat(200_000)), event(undefined, 'stop'), done);
    const { text } = await gateway.post(CHAT, streamed());
    expect(text).toContain('beyond the size limit');
    expect(text).not.toContain('[DONE]');
  });
});

describe('what callers are told of connections', () => {
  it('names no address of the inside', async () => {
    const gone = await startUpstream();
    await gone.close();
    gateway = await startGateway({ LLM_RETRIES: '0', LLM_GPU_URL: 'http://no-such-host.invalid:1234' });
    const { body } = await gateway.post(CHAT, chat());
    expect(body.detail).toBe('The gpu backend could not be reached: its name is not known.');
    expect((await gateway.get('/health')).text).not.toContain('invalid');
  });
});

describe('callers on one connection', () => {
  it('stop all their pipelined requests when they leave', async () => {
    gateway = await startGateway();
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('a'));
    };
    const body = JSON.stringify(streamed());
    const one = `POST ${CHAT} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.resume();
    socket.write(one + one + one);
    await until(() => gateway.gpu.arrivals.length === 3);
    socket.destroy();
    await Promise.all(gateway.gpu.arrivals.map(({ left }) => left));
    expect(await gateway.metric('limpede_llm_in_flight')).toBe(0);
  });
});

describe('text completions', () => {
  it('refuse a stream field that is no boolean', async () => {
    gateway = await startGateway();
    const { status, body } = await gateway.post(TEXT, { prompt: 'a', stream: 'yes' });
    expect([status, body.detail]).toMatchObject([422, [{ type: 'bool_type', loc: ['body', 'stream'] }]]);
    expect(gateway.gpu.arrivals).toHaveLength(0);
  });
});
