import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mount } from '../../../src/services/gateway/mounts.ts';
import { emptyHome } from '../../foundation/database/engines.ts';
import { FILE_BYTES, sample, startSample, TEXT } from '../../foundation/service/sample.ts';
import { listen, listenIdentity, startGateway, tokenOf } from './behind.ts';

const place = { home: '', remove: async () => {} };
const closing: (() => Promise<unknown>)[] = [];
let behind: Awaited<ReturnType<typeof startSample>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let token: string;
let staff: string;

/** A bare server behind the gateway: it reports the bytes received so far, and answers when the test says so. */
const bare = {
  requests: [] as { request: IncomingMessage; response: ServerResponse; bytes: number; closed: boolean }[],
};
function take(request: IncomingMessage, response: ServerResponse): void {
  const seen = { request, response, bytes: 0, closed: false };
  bare.requests.push(seen);
  request.on('data', (chunk: Buffer) => {
    seen.bytes += chunk.length;
  });
  request.on('error', () => {});
  request.once('close', () => {
    seen.closed = !request.complete;
  });
  response.once('close', () => {
    seen.closed ||= !response.writableFinished;
  });
}

const MOUNTS: Mount[] = [
  { contract: sample, prefix: '/agent-v3', callers: 'known', critical: true },
  { contract: { ...sample, name: 'bare' }, prefix: '/bare', callers: 'known' },
  { contract: { ...sample, name: 'staff' }, prefix: '/agent-v3/staff', callers: 'admins' },
];

beforeAll(async () => {
  Object.assign(place, emptyHome());
  closing.push(place.remove);
  const [identity, server] = await Promise.all([listenIdentity(place.home), listen(take)]);
  behind = await startSample();
  gateway = await startGateway(
    place.home,
    {
      IDENTITY_URL: identity.url,
      SAMPLE_URL: behind.url,
      STAFF_URL: behind.url,
      BARE_URL: server.url,
      GATEWAY_BODY_LIMIT: '2048',
      GATEWAY_STREAMS_PER_CALLER: '2',
    },
    MOUNTS,
  );
  closing.push(identity.close, server.close, behind.close, gateway.close);
  token = await tokenOf(place.home);
  staff = await tokenOf(place.home, { realm: 'admins', roles: ['admin'] });
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const call = (path: string, options: RequestInit = {}, bearer = token) =>
  fetch(`${gateway.url}${path}`, {
    ...options,
    headers: { authorization: `Bearer ${bearer}`, ...options.headers },
    duplex: 'half',
  } as RequestInit);

/** Sends the head of a request on a socket of its own. */
function begin(line: string, headers: string): Socket {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(`${line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n${headers}\r\n\r\n`);
  return socket;
}

const PIECE = Buffer.alloc(100_000, 'x');

describe('an upload through the gateway', () => {
  const headers = 'content-type: image/png\r\ntransfer-encoding: chunked';
  const chunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

  it('reaches the service while it is still on its way', async () => {
    const before = bare.requests.length;
    const socket = begin('POST /bare/v1/digest', headers);
    socket.write(chunk(PIECE));
    await expect.poll(() => bare.requests[before]?.bytes).toBe(PIECE.length);
    socket.write(chunk(PIECE.subarray(0, 50_000)));
    await expect.poll(() => bare.requests[before]?.bytes).toBe(150_000);
    socket.write('0\r\n\r\n');
    await expect.poll(() => bare.requests[before]?.request.complete).toBe(true);
    bare.requests[before]?.response.end('{}');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  it('ends at the service when its sender leaves', async () => {
    const before = bare.requests.length;
    const socket = begin('POST /bare/v1/digest', headers);
    socket.write(chunk(PIECE));
    await expect.poll(() => bare.requests[before]?.bytes).toBe(PIECE.length);
    socket.destroy();
    await expect.poll(() => bare.requests[before]?.closed).toBe(true);
  });

  it('may be as large as the contract says, whatever other bodies may be', async () => {
    const bytes = new Uint8Array(FILE_BYTES);
    const type = { 'content-type': 'image/png' };
    const digest = await call('/agent-v3/v1/digest', { method: 'POST', body: bytes, headers: type });
    expect([digest.status, ((await digest.json()) as { size: number }).size]).toEqual([200, FILE_BYTES]);
    const large = await call('/agent-v3/v1/digest', {
      method: 'POST',
      body: new Uint8Array(FILE_BYTES + 1),
      headers: type,
    });
    expect([large.status, ((await large.json()) as { error_code: string }).error_code]).toEqual([
      413,
      'payload_too_large',
    ]);
    const other = await call('/agent-v3/v1/other', { method: 'POST', body: new Uint8Array(4096) });
    expect(other.status).toBe(413);
  });

  it('of files ends in the service', async () => {
    const form = new FormData();
    form.append('title', 'Prin poartă');
    form.append('file', new Blob([new Uint8Array(FILE_BYTES)]), 'a.png');
    const response = await call('/agent-v3/v1/upload', { method: 'POST', body: form });
    expect(await response.json()).toMatchObject({
      title: 'Prin poartă',
      files: { file: { size: FILE_BYTES } },
    });
  });

  it('is asked for only when its sender may send it', async () => {
    const head = 'POST /agent-v3/staff/v1/upload';
    const socket = begin(
      head,
      'content-type: multipart/form-data; boundary=b\r\ncontent-length: 9\r\nexpect: 100-continue',
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 403 /);
    socket.destroy();
  });
});

describe('bytes through the gateway', () => {
  it('arrive with their range, validators and disposition', async () => {
    const response = await call('/agent-v3/v1/file/a.html', { headers: { range: 'bytes=-3' } });
    expect([response.status, await response.text()]).toEqual([206, 'xyz']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-range': `bytes ${TEXT.length - 3}-${TEXT.length - 1}/${TEXT.length}`,
      etag: '"v1"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': expect.stringMatching(/^attachment; filename="a.html"/),
    });
    expect((await call('/agent-v3/v1/file/a', { headers: { 'if-none-match': '"v1"' } })).status).toBe(304);
    const head = await call('/agent-v3/v1/file/a', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(TEXT.length)]);
  });

  it('arrive while the service is still sending, and are not asked for any further when their reader leaves', async () => {
    const before = bare.requests.length;
    const socket = begin('GET /bare/v1/file/large', 'connection: keep-alive');
    await expect.poll(() => bare.requests.length).toBe(before + 1);
    const { response } = bare.requests[before] as (typeof bare.requests)[number];
    response.writeHead(200, { 'content-length': String(10 * PIECE.length) }).write(PIECE);
    let received = 0;
    socket.on('data', (data) => {
      received += data.length;
    });
    await expect.poll(() => received).toBeGreaterThan(PIECE.length);
    socket.destroy();
    await expect.poll(() => bare.requests[before]?.closed).toBe(true);
  });
});

describe('events through the gateway', () => {
  const ids = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map((match) => match[1]);

  it('arrive one by one, and go on after the last that was seen', async () => {
    expect(ids(await (await call('/agent-v3/v1/events/plain')).text())).toEqual(['1', '2', '3', 'end']);
    const resumed = await call('/agent-v3/v1/events/plain', { headers: { 'last-event-id': '3' } });
    expect(ids(await resumed.text())).toEqual(['end']);
  });

  it('are as many streams at once as a caller may have', async () => {
    const before = behind.seen.ended;
    const leaving = new AbortController();
    const open = () => call('/agent-v3/v1/events/silent', { signal: leaving.signal });
    const [first, second] = await Promise.all([open(), open()]);
    expect([first.status, second.status]).toEqual([200, 200]);
    const third = await open();
    expect([third.status, ((await third.json()) as { error_code: string }).error_code]).toEqual([
      429,
      'rate_limited',
    ]);
    expect((await call('/agent-v3/staff/v1/events/plain', {}, staff)).status).toBe(200);
    leaving.abort();
    await expect.poll(() => behind.seen.ended).toBeGreaterThanOrEqual(before + 2);
    await expect.poll(async () => (await call('/agent-v3/v1/events/plain')).status).toBe(200);
  });
});

describe('a service for staff', () => {
  it('is closed to everybody else, whatever its contract calls public', async () => {
    const ask = (bearer?: string) =>
      fetch(`${gateway.url}/agent-v3/staff/v1/file/a`, {
        headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
      });
    expect((await ask()).status).toBe(401);
    const refused = await ask(token);
    expect([refused.status, ((await refused.json()) as { error_code: string }).error_code]).toEqual([
      403,
      'forbidden_role',
    ]);
    const allowed = await ask(staff);
    expect([allowed.status, await allowed.text()]).toEqual([200, TEXT]);
    expect((await fetch(`${gateway.url}/agent-v3/staff/openapi.json`)).status).toBe(401);
  });
});
