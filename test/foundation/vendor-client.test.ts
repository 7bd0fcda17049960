import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { FormData } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseAllowList } from '../../src/foundation/http/allow-list.ts';
import {
  createVendorClient,
  type VendorCall,
  type VendorClient,
  type VendorClientOptions,
  type VendorResult,
} from '../../src/foundation/vendor-client.ts';

/** Longer than any test takes. */
const AMPLE_MS = 30_000;
/** Ends soon, for answers that never come. */
const SHORT_MS = 30;
const ANSWER_BYTES = 64 * 1024;

const schema = z.object({ score: z.number(), note: z.string().default('none') });

const closers: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (listener: RequestListener) => listen(createServer(listener));
const answering = (status: number, body: string, headers: Record<string, string> = {}) =>
  serve((_request, response) => response.writeHead(status, headers).end(body));

function clientOf(options: Partial<VendorClientOptions>): VendorClient {
  const client = createVendorClient({
    name: 'vendor',
    timeoutMs: AMPLE_MS,
    answerBytes: ANSWER_BYTES,
    ...options,
  });
  closers.push(() => client.close());
  return client;
}

const scoreOf = (baseUrl: string, call: VendorCall = {}, options: Partial<VendorClientOptions> = {}) =>
  clientOf({ baseUrl, ...options }).getJson('/score', schema, call);

interface Seen {
  url: string | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** A server that keeps what it was sent and answers with a score. */
async function recording(): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    seen.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.end('{"score":1}');
  });
  return { url, seen };
}

describe('a call to a vendor', () => {
  it('sends path, query and headers, and checks the answer', async () => {
    const { url, seen } = await recording();
    const client = clientOf({ baseUrl: `${url}/v2/`, headers: { 'x-key': 'secret', accept: 'text/json' } });
    const answer = await client.getJson('/score', schema, {
      query: { q: 'știre & co', page: 2, tag: ['a', 'b'], language: undefined },
      headers: { 'x-turn': '1' },
    });
    expect(answer).toEqual({ ok: true, status: 200, value: { score: 1, note: 'none' } });
    expect(seen[0]?.url).toBe('/v2/score?q=%C8%99tire+%26+co&page=2&tag=a&tag=b');
    expect(seen[0]?.headers).toMatchObject({ 'x-key': 'secret', 'x-turn': '1', accept: 'text/json' });
  });

  it('posts JSON', async () => {
    const { url, seen } = await recording();
    expect(await clientOf({ baseUrl: url }).postJson('/score', { text: 'știre' }, schema)).toMatchObject({
      ok: true,
    });
    expect(seen[0]?.body).toBe('{"text":"știre"}');
    expect(seen[0]?.headers['content-type']).toBe('application/json');
  });

  it('posts forms of both kinds', async () => {
    const { url, seen } = await recording();
    const client = clientOf({ baseUrl: url });
    const files = new FormData();
    files.set('model', 'small');
    files.set('file', new Blob(['RIFF']), 'sound.wav');
    expect(await client.postForm('/score', new URLSearchParams({ q: 'a b' }), schema)).toMatchObject({
      ok: true,
    });
    expect(await client.postForm('/score', files, schema)).toMatchObject({ ok: true });
    expect(seen[0]).toMatchObject({
      body: 'q=a+b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(seen[1]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(seen[1]?.body).toContain('name="file"; filename="sound.wav"');
    expect(seen[1]?.body).toContain('RIFF');
  });

  it('gets bytes as they are', async () => {
    const url = await serve((_request, response) =>
      response.setHeader('content-type', 'image/png').end(Buffer.from([0, 255, 10])),
    );
    expect(await clientOf({ baseUrl: url }).getBytes('/picture')).toEqual({
      ok: true,
      status: 200,
      value: { bytes: new Uint8Array([0, 255, 10]), contentType: 'image/png' },
    });
  });
});

describe('a loss', () => {
  const isDripping = (response: ServerResponse) => {
    const timer = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(timer));
  };

  it.each<[string, RequestListener]>([
    ['a server that says nothing', () => undefined],
    ['a server that drips its body', (_request, response) => isDripping(response.writeHead(200))],
  ])('is a timeout for %s', async (_name, listener) => {
    expect(await scoreOf(await serve(listener), { timeoutMs: SHORT_MS })).toEqual({
      ok: false,
      vendor: 'vendor',
      reason: 'timeout',
      message: `vendor: no answer within ${SHORT_MS} ms`,
      status: undefined,
      retryAfterMs: undefined,
      sent: true,
    });
  });

  it.each<[string, RequestListener]>([
    [
      'of a promised length',
      (_request, response) => response.writeHead(200, { 'content-length': ANSWER_BYTES + 1 }).write('x'),
    ],
    ['without a length', (_request, response) => response.end(`"${'x'.repeat(ANSWER_BYTES)}"`)],
  ])('is an invalid answer when the body is too large, %s', async (_name, listener) => {
    expect(await scoreOf(await serve(listener))).toMatchObject({
      reason: 'invalid_answer',
      message: 'vendor: The answer is larger than the limit.',
    });
  });

  it('is an invalid answer for rubbish, for another form, for a redirect and for what is no HTTP', async () => {
    expect(await scoreOf(await answering(200, '<html>'))).toMatchObject({
      reason: 'invalid_answer',
      message: 'vendor: the answer is not JSON',
      status: 200,
    });
    expect(await scoreOf(await answering(200, '{"score":"high"}'))).toMatchObject({
      reason: 'invalid_answer',
      message: 'vendor: the answer is not of the expected form at score',
    });
    expect(await scoreOf(await answering(302, '', { location: '/elsewhere' }))).toMatchObject({
      reason: 'invalid_answer',
      status: 302,
    });
    const url = await listen(
      createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0\r\n\r\n')),
    );
    expect(await scoreOf(url)).toMatchObject({ reason: 'invalid_answer' });
  });

  it.each<[number, string]>([
    [400, 'refused'],
    [401, 'refused'],
    [404, 'refused'],
    [408, 'timeout'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [504, 'timeout'],
  ])('has the reason that status %i means: %s', async (status, reason) => {
    expect(await scoreOf(await answering(status, 'oops'))).toMatchObject({ ok: false, status, reason });
  });

  it('says how long the vendor asks to wait, in seconds or as a date', async () => {
    const retryAfter = async (header: string) => {
      const result = await scoreOf(await answering(429, '', { 'retry-after': header }));
      return result.ok ? undefined : result.retryAfterMs;
    };
    expect(await retryAfter('7')).toBe(7000);
    const late = await retryAfter(new Date(Date.now() + 3_600_000).toUTCString());
    expect(late).toBeGreaterThan(3_000_000);
    expect(late).toBeLessThanOrEqual(3_600_000);
    expect(await retryAfter(new Date(0).toUTCString())).toBe(0);
    expect(await retryAfter('soon')).toBeUndefined();
  });

  it('is named when nobody listens, and when the connection breaks', async () => {
    const url = await serve((request) => request.socket.destroy());
    expect(await scoreOf(url)).toMatchObject({ reason: 'unavailable', status: undefined, sent: true });
    await closers.splice(0, 1)[0]?.();
    expect(await scoreOf(url)).toMatchObject({ reason: 'unavailable' });
  });

  it('is the caller’s own when it leaves, during the call or before it', async () => {
    const leaving = new AbortController();
    const url = await serve(() => leaving.abort());
    expect(await scoreOf(url, { signal: leaving.signal })).toMatchObject({ reason: 'aborted' });
    expect(await scoreOf(url, { signal: AbortSignal.abort() })).toMatchObject({ reason: 'aborted' });
  });
});

describe('the breaker of a vendor', () => {
  const breaker = { requests: 3, failureShare: 0.5, openMs: 1000 };
  const leftAlone = { reason: 'unavailable', sent: false, message: expect.stringContaining('left alone') };

  async function changeable() {
    const state = { status: 500, hits: 0, now: 0, hang: false };
    const url = await serve((_request, response) => {
      state.hits++;
      if (!state.hang) response.writeHead(state.status).end('{"score":1}');
    });
    return { state, url, client: clientOf({ baseUrl: url, breaker, now: () => state.now }) };
  }

  async function repeat(times: number, call: () => Promise<VendorResult<unknown>>): Promise<void> {
    for (let turn = 0; turn < times; turn++) await call();
  }

  it('opens after failures, lets one trial through after its time, and closes when that works', async () => {
    const { state, client } = await changeable();
    const call = () => client.getJson('/score', schema);
    await repeat(3, call);
    expect(await call()).toMatchObject(leftAlone);
    expect(state.hits).toBe(3);
    state.now = 1000;
    expect(await call()).toMatchObject({ status: 500 });
    expect(await call()).toMatchObject(leftAlone);
    state.now = 2000;
    state.status = 200;
    expect(await call()).toMatchObject({ ok: true });
    expect(await call()).toMatchObject({ ok: true });
    expect(state.hits).toBe(6);
  });

  it('does not open for refusals, rate limits, wrong answers and callers who left', async () => {
    const { state, client } = await changeable();
    for (const status of [404, 429, 302]) {
      state.status = status;
      await repeat(4, () => client.getJson('/score', schema));
    }
    state.status = 200;
    await repeat(4, () => client.getJson('/score', z.object({ other: z.string() })));
    await repeat(4, () => client.getJson('/score', schema, { signal: AbortSignal.abort() }));
    expect(await client.getJson('/score', schema)).toMatchObject({ ok: true });
  });

  it('opens for a server that is silent', async () => {
    const { state, client } = await changeable();
    state.hang = true;
    await repeat(3, () => client.getJson('/score', schema, { timeoutMs: SHORT_MS }));
    expect(await client.getJson('/score', schema)).toMatchObject(leftAlone);
  });

  it('is one for each server', async () => {
    const [bad, good] = [await answering(500, ''), await answering(200, '{"score":1}')];
    const client = clientOf({ breaker });
    await repeat(3, () => client.getJson(`${bad}/score`, schema));
    expect(await client.getJson(`${bad}/score`, schema)).toMatchObject(leftAlone);
    expect(await client.getJson(`${good}/score`, schema)).toMatchObject({ ok: true });
  });
});

describe('the guard of a vendor client', () => {
  it('allows listed private addresses only, and reads nothing into a refusal', async () => {
    const url = await answering(200, '{"score":1}');
    const breaker = { requests: 1, failureShare: 0.1, openMs: 1000 };
    const client = clientOf({ guard: { allow: parseAllowList(['127.0.0.1']) }, breaker });
    expect(await client.getJson(`${url}/score`, schema)).toMatchObject({ ok: true });
    const closed = clientOf({ guard: { allow: parseAllowList([]) }, breaker });
    for (const address of [`${url}/score`, 'file:///etc/passwd', 'not an address']) {
      expect(await closed.getJson(address, schema)).toMatchObject({ reason: 'refused', sent: false });
    }
  });

  it('checks the addresses behind a name', async () => {
    const resolve = async () => ['127.0.0.1'];
    const client = clientOf({ guard: { allow: parseAllowList([]), resolve } });
    expect(await client.getJson('http://news.example/score', schema)).toMatchObject({
      reason: 'refused',
      message: 'vendor: The address leads into a private network.',
      sent: false,
    });
  });
});
