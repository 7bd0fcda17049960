import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../patience.ts';
import { CHAT, chat, type RunningGateway, startGateway } from './running-gateway.ts';
import { begin, done, event, json, plainAnswer, usageEvent } from './upstream.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

const streamed = (more: Record<string, unknown> = {}) => chat({ stream: true, ...more });

/** Answers a stream of these texts at once. */
function say(...texts: string[]): void {
  gateway.gpu.script = ({ response }) => {
    begin(response);
    response.end(texts.join(''));
  };
}

const whole = event('a') + event('ș 😀') + event(undefined, 'stop');

describe('streams', () => {
  it('pass as they come, with the head of a stream', async () => {
    gateway = await startGateway();
    say(': PROCESSING\n\n', whole, done);
    const { status, headers, text } = await gateway.post(CHAT, streamed());
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(text).toBe(`: PROCESSING\n\n${whole}${done}`);
  });

  it('pass with CRLF, tool calls, reasoning and unknown fields untouched', async () => {
    gateway = await startGateway();
    const odd =
      'event: message\r\nid: 7\r\ndata: {"choices":[{"delta":{"tool_calls":[{"index":0}],"reasoning":"x"},"finish_reason":"tool_calls"}],"x":1.0}\r\n\r\n';
    say(odd, 'data: [DONE]\r\n\r\n');
    expect((await gateway.post(CHAT, streamed())).text).toBe(`${odd}data: [DONE]\r\n\r\n`);
  });

  it('reach the caller event by event, before the next is made', async () => {
    gateway = await startGateway();
    const later: (() => void)[] = [];
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('first'));
      later.push(
        () => response.write(event('second')),
        () => response.end(event(undefined, 'stop') + done),
      );
    };
    const pending = gateway.send(CHAT, streamed());
    await pending.seen('first');
    later[0]?.();
    await pending.seen('second');
    later[1]?.();
    expect((await pending.answer).text).toContain('[DONE]');
  });

  it('are whole even when packets cut events and characters', async () => {
    gateway = await startGateway();
    gateway.gpu.script = async ({ response }) => {
      begin(response);
      for (const byte of Buffer.from(whole + done)) {
        response.write(Buffer.from([byte]));
        if (byte === 0xf0) await new Promise((resolve) => setTimeout(resolve, 2));
      }
      response.end();
    };
    expect((await gateway.post(CHAT, streamed())).text).toBe(whole + done);
  });

  it('ask for usage, and show it only to callers who asked', async () => {
    gateway = await startGateway();
    say(whole, usageEvent, done);
    expect((await gateway.post(CHAT, streamed())).text).toBe(whole + done);
    expect(gateway.gpu.arrivals[0]?.body.stream_options).toEqual({ include_usage: true });
    const asked = await gateway.post(CHAT, streamed({ stream_options: { include_usage: true } }));
    expect(asked.text).toBe(whole + usageEvent + done);
    expect(await gateway.metric('limpede_llm_tokens_total', { kind: 'prompt' })).toBe(10);
  });

  it('get the [DONE] that a backend forgot after a finish', async () => {
    gateway = await startGateway();
    say(whole);
    expect((await gateway.post(CHAT, streamed())).text).toBe(whole + done);
  });

  it('get the last empty line that a backend forgot', async () => {
    gateway = await startGateway();
    say(whole, 'data: [DONE]\n');
    expect((await gateway.post(CHAT, streamed())).text).toBe(whole + done);
  });

  it.each<[string, (send: string) => void]>([
    ['ends without a finish', (text) => say(text)],
    [
      'is cut',
      (text) => {
        gateway.gpu.script = ({ response }) => {
          begin(response);
          response.write(`${text}data: {"choices":[{"del`, () => response.destroy());
        };
      },
    ],
  ])('tell the truth when one %s', async (_name, script) => {
    gateway = await startGateway();
    script(event('a'));
    const { text } = await gateway.post(CHAT, streamed());
    expect(text).not.toContain('[DONE]');
    expect(text).not.toContain('"del"');
    const [first, error] = text.split('\n\n');
    expect(`${first}\n\n`).toBe(event('a'));
    const [name, data] = error?.split('\n') ?? [];
    expect(name).toBe('event: error');
    expect(JSON.parse(data?.slice(6) ?? '').error).toMatchObject({
      type: 'api_error',
      code: 'completion_failed',
    });
    expect(await gateway.metric('limpede_llm_completions_total', { outcome: 'error' })).toBe(1);
  });

  it('pass an error event of the backend and end there', async () => {
    gateway = await startGateway();
    const error = 'data: {"error":{"message":"overloaded","code":502}}\n\n';
    say(event('a'), error);
    expect((await gateway.post(CHAT, streamed())).text).toBe(event('a') + error);
    expect(await gateway.metric('limpede_llm_completions_total', { outcome: 'error' })).toBe(1);
  });

  it('that are refused answer with a status, not with a stream', async () => {
    gateway = await startGateway({ LLM_RETRIES: '0' });
    gateway.gpu.script = ({ response }) => json(response, 400, { error: { message: 'too long' } });
    const refused = await gateway.post(CHAT, streamed());
    expect([refused.status, refused.body.detail]).toEqual([400, 'too long']);
    say('data: {"error":{"message":"no"}}\n\n');
    expect((await gateway.post(CHAT, streamed())).status).toBe(500);
    gateway.gpu.script = ({ response }) => json(response, 200, plainAnswer);
    expect((await gateway.post(CHAT, streamed())).status).toBe(500);
    say('');
    expect((await gateway.post(CHAT, streamed())).status).toBe(500);
  });

  it('are kept open with comments while the backend thinks', async () => {
    gateway = await startGateway({ LLM_KEEP_ALIVE_MS: '30' });
    let release = () => {};
    gateway.gpu.script = ({ response }) => {
      begin(response);
      release = () => response.end(whole + done);
    };
    const pending = gateway.send(CHAT, streamed());
    await pending.seen(': keep-alive\n\n: keep-alive\n\n');
    release();
    expect((await pending.answer).text.replaceAll(': keep-alive\n\n', '')).toBe(whole + done);
  });

  it('wait for a caller that reads slowly, without holding the stream in memory', async () => {
    gateway = await startGateway();
    const big = event('x'.repeat(60_000));
    let written = 0;
    let waiting = false;
    gateway.gpu.script = ({ response }) => {
      begin(response);
      const more = () => {
        while (written < 2000 && !response.destroyed) {
          written++;
          if (!response.write(big)) {
            waiting = true;
            response.once('drain', more);
            return;
          }
        }
        response.end(event(undefined, 'stop') + done);
      };
      more();
    };
    const { connect } = await import('node:net');
    const { port } = new URL(gateway.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.pause();
    const body = JSON.stringify(streamed());
    socket.write(
      `POST ${CHAT} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    let last = -1;
    await until(() => {
      const still = waiting && written === last;
      last = written;
      return still;
    });
    // 120 MB are on offer; what the sockets and the gateway hold is far less.
    expect(written).toBeLessThan(600);
    socket.destroy();
    await gateway.gpu.arrivals[0]?.left;
  });
});
