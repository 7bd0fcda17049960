import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closedText, startSample } from './sample.ts';

let sample: Awaited<ReturnType<typeof startSample>>;
beforeEach(async () => {
  sample = await startSample();
});
afterEach(() => sample.close());

const open = (id: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${sample.url}/v1/events/${id}`, { headers, ...(signal !== undefined && { signal }) });

const ids = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map((match) => match[1]);

describe('a stream of events', () => {
  it('has names, data and ids, and ends with its source', async () => {
    const response = await open('plain');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toBe(
      [
        'retry: 2000\n\n',
        'event: count.up\ndata: {"value":1}\nid: 1\n\n',
        'event: count.up\ndata: {"value":2}\nid: 2\n\n',
        'event: count.up\ndata: {"value":3}\nid: 3\n\n',
        'event: count.end\ndata: {"sum":6}\nid: end\n\n',
      ].join(''),
    );
    await expect.poll(() => sample.seen.ended).toBe(1);
  });

  it('goes on after the last event that its reader has seen', async () => {
    expect(ids(await (await open('plain', { 'last-event-id': '2' })).text())).toEqual(['3', 'end']);
    await (await open('plain', { 'last-event-id': ' ' })).text();
    await (await open('plain', { 'last-event-id': 'x'.repeat(300) })).text();
    expect(sample.seen.lastEventIds).toEqual(['2', undefined, undefined]);
  });

  it('shows that it lives while nothing happens, and stops looking when its reader leaves', async () => {
    const leaving = new AbortController();
    const response = await open('silent', {}, leaving.signal);
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
    })().catch(() => 'left');
    await expect.poll(() => text.match(/event: heartbeat\ndata: {}\n\n/g)?.length ?? 0).toBeGreaterThan(1);
    expect(ids(text)).toEqual(['1', '2', '3']);
    leaving.abort();
    expect(await reading).toBe('left');
    await expect.poll(() => sample.seen.ended).toBe(1);
  });

  it('waits for a slow reader', async () => {
    const socket = connect(sample.port, '127.0.0.1');
    socket.write('GET /v1/events/endless HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    socket.pause();
    await expect.poll(() => sample.seen.pulled).toBeGreaterThan(10);
    // Whatever the buffers of two sockets hold, the source stands still once they are full.
    await expect
      .poll(async () => {
        const before = sample.seen.pulled;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return sample.seen.pulled - before;
      })
      .toBe(0);
    expect(sample.seen.ended).toBe(0);
    socket.destroy();
    await expect.poll(() => sample.seen.ended).toBe(1);
  });

  it('fails as other requests do before its first event', async () => {
    const response = await open('none');
    expect([response.status, await response.json()]).toMatchObject([404, { error_code: 'not_found' }]);
  });

  it('is cut when its source fails, and tells nothing of why', async () => {
    const socket = connect(sample.port, '127.0.0.1');
    socket.write('GET /v1/events/broken HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    const text = await closedText(socket);
    expect(ids(text)).toEqual(['1', '2', '3']);
    expect(text).not.toContain('secret');
    // The last chunk, which marks an answer as complete, is missing.
    expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
  });

  it('ends in order when the service stops, and lets nobody wait', async () => {
    const response = await open('silent');
    const text = response.text();
    await expect.poll(() => sample.seen.pulled).toBe(3);
    await sample.stop();
    expect(ids(await text)).toEqual(['1', '2', '3']);
    expect(sample.seen.ended).toBe(1);
  });

  it('is no answer to HEAD', async () => {
    const response = await fetch(`${sample.url}/v1/events/plain`, { method: 'HEAD' });
    expect(response.status).toBe(404);
    expect(sample.seen.pulled).toBe(0);
  });
});
