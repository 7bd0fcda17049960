import { describe, expect, it } from 'vitest';
import { CHAT, chat, startGateway } from './running-gateway.ts';
import { begin, done, event } from './upstream.ts';

describe('a graceful stop', () => {
  it('lets a running stream end, and refuses new completions', async () => {
    const gateway = await startGateway();
    let release = () => {};
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('a'));
      release = () => response.end(event(undefined, 'stop') + done);
    };
    const running = gateway.send(CHAT, chat({ stream: true }));
    await running.seen('"a"');
    const closing = gateway.close();
    // A new connection is either answered with a refusal or closed: it depends on whether its request was faster.
    const refused = await gateway.post(CHAT, chat()).then(
      ({ status, headers }) => `${status} ${headers.connection}`,
      () => 'closed',
    );
    expect(['503 close', 'closed']).toContain(refused);
    expect(gateway.gpu.arrivals).toHaveLength(1);
    release();
    expect((await running.answer).text).toContain('[DONE]');
    await closing;
  });

  it('ends a stream that takes too long with an error, never as if it were complete', async () => {
    const gateway = await startGateway({ LLM_DRAIN_MS: '50' });
    gateway.gpu.script = ({ response }) => {
      begin(response);
      response.write(event('a'));
    };
    const running = gateway.send(CHAT, chat({ stream: true }));
    await running.seen('"a"');
    await gateway.close();
    const { text } = await running.answer;
    expect(text).toContain('event: error');
    expect(text).toContain('shutting_down');
    expect(text).not.toContain('[DONE]');
  });
});
