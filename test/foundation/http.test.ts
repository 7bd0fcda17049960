import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createGuardedHttp,
  type FetchLimits,
  type FetchOutcome,
  type GuardedHttp,
  type GuardOptions,
} from '../../src/foundation/http.ts';

const opened: Array<() => Promise<unknown> | unknown> = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function listen(
  server: Server | ReturnType<typeof createTcpServer>,
  host = '127.0.0.1',
  port = 0,
): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const serve = (listener: RequestListener, host?: string, port?: number) =>
  listen(createServer(listener), host, port);

function guard(
  options: Partial<Omit<GuardOptions, 'limits'>> & { limits?: Partial<FetchLimits> } = {},
): GuardedHttp {
  const http = createGuardedHttp({
    allowedPrivateHosts: ['127.0.0.1'],
    userAgent: 'TestAgent/1.0 (+https://example.org/agent)',
    ...options,
    limits: () => ({ perHostPerSecond: 1000, perHostBurst: 1000, ...options.limits }),
  });
  opened.push(() => http.close());
  return http;
}

const page = '<!doctype html><title>News</title><p>Text';
const html = (response: ServerResponse, body: string | Buffer = page, headers: Record<string, string> = {}) =>
  response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body);
const reason = (outcome: FetchOutcome) => (outcome.ok ? `status ${outcome.status}` : outcome.reason);
const textOf = (outcome: FetchOutcome) =>
  outcome.ok ? Buffer.from(outcome.body).toString() : outcome.reason;

describe('a guarded fetch', () => {
  it('answers body, type, headers and status', async () => {
    let seen: IncomingMessage | undefined;
    const port = await serve((request, response) => {
      seen = request;
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      html(response);
    });
    const url = `http://127.0.0.1:${port}/a?b=c#fragment`;
    const outcome = await guard().get(url, { accept: ['text/html'], language: 'ro,en;q=0.5' });
    expect(outcome).toMatchObject({
      ok: true,
      url,
      finalUrl: url,
      status: 200,
      contentType: 'text/html',
      redirects: [],
    });
    expect(textOf(outcome)).toBe(page);
    expect(outcome.ok && outcome.headers['set-cookie']).toBe('a=1, b=2');
    expect(seen?.url).toBe('/a?b=c');
    expect(seen?.headers).toMatchObject({
      'user-agent': 'TestAgent/1.0 (+https://example.org/agent)',
      accept: 'text/html, */*;q=0.1',
      'accept-language': 'ro,en;q=0.5',
    });
  });

  it('answers failed statuses as they are', async () => {
    const port = await serve((_request, response) =>
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}'),
    );
    const outcome = await guard().get(`http://127.0.0.1:${port}/`, { accept: ['text/html'] });
    expect(outcome).toMatchObject({ ok: true, status: 404, contentType: 'application/json' });
  });

  it('reuses its connections', async () => {
    const server = createServer((_request, response) => html(response));
    const port = await listen(server);
    let connections = 0;
    server.on('connection', () => connections++);
    const http = guard();
    for (let turn = 0; turn < 8; turn++) await http.get(`http://127.0.0.1:${port}/${turn}`);
    // The pool may open a second one while the first is still being put back.
    expect(connections).toBeLessThanOrEqual(2);
  });

  it('says beforehand what it refuses', () => {
    const http = guard();
    expect(http.refusal('http://10.0.0.1/')).toMatchObject({ ok: false, reason: 'url_not_allowed' });
    expect(http.refusal('https://example.org/')).toBeUndefined();
  });
});

describe('private networks', () => {
  it('are not reached by literal addresses, of which no resolver hears', async () => {
    let hits = 0;
    const port = await serve((_request, response) => {
      hits++;
      html(response);
    });
    const resolve = async () => {
      throw new Error('must not be asked');
    };
    const http = guard({ allowedPrivateHosts: [], resolve });
    for (const host of ['127.0.0.1', '0x7f000001', '2130706433', '[::ffff:127.0.0.1]', '127.1']) {
      expect(reason(await http.get(`http://${host}:${port}/`))).toBe('url_not_allowed');
    }
    expect(hits).toBe(0);
  });

  it('are not reached by names that resolve into them, alone or among public addresses', async () => {
    for (const answer of [
      ['127.0.0.1'],
      ['8.8.8.8', '127.0.0.1'],
      ['::1'],
      ['::ffff:10.0.0.1'],
      ['169.254.169.254'],
    ]) {
      const http = guard({ allowedPrivateHosts: [], resolve: async () => answer });
      expect(reason(await http.get('http://harmless.example/'))).toBe('url_not_allowed');
    }
  });

  it('are not reached by rebinding: the checked address is the connected one, and each connection is checked', async () => {
    let privateHits = 0;
    const port = await serve((_request, response) => html(response, page, { connection: 'close' }));
    await serve(
      (_request, response) => {
        privateHits++;
        html(response);
      },
      '127.0.0.2',
      port,
    );
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    let asked = 0;
    const http = guard({
      allowedPrivateHosts: [`127.0.0.1:${port}`],
      resolve: async () => answers[asked++] ?? ['127.0.0.2'],
    });
    expect(reason(await http.get(`http://rebind.example:${port}/`))).toBe('status 200');
    expect(asked).toBe(1);
    expect(reason(await http.get(`http://rebind.example:${port}/`))).toBe('url_not_allowed');
    expect(asked).toBe(2);
    expect(privateHits).toBe(0);
  });

  it('are not reached by a redirect', async () => {
    let hits = 0;
    const inner = await serve((_request, response) => {
      hits++;
      html(response);
    }, '127.0.0.2');
    const outer = await serve((_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.2:${inner}/` }).end(),
    );
    const outcome = await guard().get(`http://127.0.0.1:${outer}/`);
    expect(reason(outcome)).toBe('url_not_allowed');
    expect(outcome.redirects).toEqual([{ url: `http://127.0.0.1:${outer}/`, status: 302 }]);
    expect(hits).toBe(0);
  });

  it('are reached by a listed name', async () => {
    const port = await serve((_request, response) => html(response));
    const http = guard({
      allowedPrivateHosts: [`wiki.intranet:${port}`],
      resolve: async () => ['127.0.0.1'],
    });
    expect(reason(await http.get(`http://wiki.intranet:${port}/`))).toBe('status 200');
  });
});

describe('redirects', () => {
  const chain = (length: number) =>
    serve((request, response) => {
      const step = Number(request.url?.slice(1));
      if (step < length) response.writeHead(301, { location: `/${step + 1}` }).end('moved');
      else html(response);
    });

  it('are followed five times, and listed', async () => {
    const port = await chain(5);
    const outcome = await guard().get(`http://127.0.0.1:${port}/0`);
    expect(outcome).toMatchObject({ ok: true, finalUrl: `http://127.0.0.1:${port}/5` });
    expect(outcome.redirects).toHaveLength(5);
  });

  it('end after the fifth', async () => {
    const port = await chain(6);
    expect(reason(await guard().get(`http://127.0.0.1:${port}/0`))).toBe('too_many_redirects');
  });

  it('without a place to go are the answer', async () => {
    const port = await serve((_request, response) => response.writeHead(302).end());
    expect(reason(await guard().get(`http://127.0.0.1:${port}/`))).toBe('status 302');
  });
});

describe('types', () => {
  it.each([
    ['application/pdf', '%PDF-1.7 ...'],
    ['text/html', '%PDF-1.7 ...'],
    ['text/html', '\x89PNG\r\n\x1a\n'],
    ['application/json', '{}'],
  ])('%s with the bytes %j is not read as a page', async (type, body) => {
    const port = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': type }).end(Buffer.from(body, 'latin1')),
    );
    const outcome = await guard().get(`http://127.0.0.1:${port}/`, { accept: ['text/html', 'text/plain'] });
    expect(reason(outcome)).toBe('unsupported_type');
  });

  it('are told by the bytes when the header is missing', async () => {
    const port = await serve((_request, response) => response.writeHead(200).end(page));
    const outcome = await guard().get(`http://127.0.0.1:${port}/`, { accept: ['text/html'] });
    expect(outcome).toMatchObject({ ok: true, contentType: 'text/html' });
  });
});

describe('encodings', () => {
  const cases: Array<[string, (data: Buffer) => Buffer]> = [
    ['gzip', (data) => gzipSync(data)],
    ['x-gzip', (data) => gzipSync(data)],
    ['deflate', (data) => deflateSync(data)],
    ['deflate', (data) => deflateRawSync(data)],
    ['br', (data) => brotliCompressSync(data)],
    ['gzip, br', (data) => brotliCompressSync(gzipSync(data))],
    ['identity', (data) => data],
    ['gzip', (data) => gzipSync(data).subarray(0, -8)],
  ];
  it.each(cases)('%s is taken off', async (encoding, encode) => {
    const port = await serve((_request, response) =>
      html(response, encode(Buffer.from(page)), { 'content-encoding': encoding }),
    );
    expect(textOf(await guard().get(`http://127.0.0.1:${port}/`))).toBe(page);
  });

  it.each([
    ['gzip', 'this is no gzip'],
    ['br', 'this is no brotli'],
    ['deflate', 'this is no deflate'],
    ['zstd', 'anything'],
    ['gzip, gzip, gzip', 'anything'],
  ])('%s that cannot be undone is a failure', async (encoding, body) => {
    const port = await serve((_request, response) => html(response, body, { 'content-encoding': encoding }));
    expect(reason(await guard().get(`http://127.0.0.1:${port}/`))).toBe('decoding_failed');
  });
});

describe('size', () => {
  const limits = { wireBytes: 100_000, decodedBytes: 3_000_000, ratio: 100 };

  it('ends a body that its header announces', async () => {
    const port = await serve((_request, response) => html(response, 'x'.repeat(200_000)));
    expect(reason(await guard({ limits }).get(`http://127.0.0.1:${port}/`))).toBe('too_large');
  });

  it('ends a body that no header announces, and a caller may ask for less', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    expect(reason(await guard({ limits }).get(`http://127.0.0.1:${port}/`))).toBe('too_large');
    expect(reason(await guard().get(`http://127.0.0.1:${port}/`, { maxBytes: 1000 }))).toBe('too_large');
  });

  it.each([
    ['gzip', (data: Buffer) => gzipSync(data)],
    ['deflate', (data: Buffer) => deflateSync(data)],
    ['br', (data: Buffer) => brotliCompressSync(data)],
  ])('ends a %s bomb by its ratio', async (encoding, encode) => {
    const bomb = encode(Buffer.alloc(2_500_000, ' '));
    const port = await serve((_request, response) => html(response, bomb, { 'content-encoding': encoding }));
    expect(reason(await guard({ limits }).get(`http://127.0.0.1:${port}/`))).toBe('too_large');
  });

  it('ends what unpacks to more than the limit, below any ratio', async () => {
    const body = gzipSync(Buffer.alloc(4_000_000, ' '));
    const port = await serve((_request, response) => html(response, body, { 'content-encoding': 'gzip' }));
    const http = guard({ limits: { ...limits, ratio: 1_000_000 } });
    expect(reason(await http.get(`http://127.0.0.1:${port}/`))).toBe('too_large');
  });

  it('ends headers without end', async () => {
    const port = await serve((_request, response) => html(response, page, { 'x-long': 'x'.repeat(100_000) }));
    expect(reason(await guard().get(`http://127.0.0.1:${port}/`))).toBe('invalid_answer');
  });
});

describe('time', () => {
  it('ends a host that never answers', async () => {
    const port = await serve(() => {});
    expect(reason(await guard().get(`http://127.0.0.1:${port}/`, { timeoutMs: 100 }))).toBe('timeout');
  });

  it('ends a body that drips', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    expect(reason(await guard().get(`http://127.0.0.1:${port}/`, { timeoutMs: 200 }))).toBe('timeout');
  });

  it('ends a resolver that hangs', async () => {
    const http = guard({ resolve: () => new Promise(() => {}), limits: { dnsMs: 50 } });
    expect(reason(await http.get('http://slow.example/'))).toBe('timeout');
  });

  it('ends a fetch whose caller leaves, before and during', async () => {
    const port = await serve(() => {});
    const http = guard();
    const gone = await http.get(`http://127.0.0.1:${port}/`, { signal: AbortSignal.abort() });
    expect(reason(gone)).toBe('aborted');
    const leaving = new AbortController();
    const outcome = http.get(`http://127.0.0.1:${port}/`, { signal: leaving.signal });
    setTimeout(() => leaving.abort(), 30);
    expect(reason(await outcome)).toBe('aborted');
  });
});

describe('hosts that fail', () => {
  it('are told apart, without their own words', async () => {
    const noTls = await serve((_request, response) => html(response));
    const rude = await listen(
      createTcpServer((socket) => {
        socket.on('data', () => socket.end('SSH-2.0-secret banner\r\n'));
      }),
    );
    const torn = await listen(
      createTcpServer((socket) => {
        socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n<html>half'));
      }),
    );
    const free = await serve(() => {});
    await opened.pop()?.();
    const http = guard();
    const outcomes = await Promise.all(
      [
        `https://127.0.0.1:${noTls}/`,
        `http://127.0.0.1:${rude}/`,
        `http://127.0.0.1:${torn}/`,
        `http://127.0.0.1:${free}/`,
      ].map((address) => http.get(address)),
    );
    expect(outcomes.map(reason)).toEqual([
      'tls_failed',
      'invalid_answer',
      'connection_failed',
      'connection_failed',
    ]);
    expect(JSON.stringify(outcomes)).not.toMatch(/secret|ECONN|SSL/);
  });

  it('have names that do not exist', async () => {
    const missing = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const http = guard({ resolve: () => Promise.reject(missing) });
    expect(reason(await http.get('http://missing.example/'))).toBe('dns_failed');
    expect(reason(await guard({ resolve: async () => [] }).get('http://missing.example/'))).toBe(
      'dns_failed',
    );
  });

  it('are not asked faster than their pace', async () => {
    const port = await serve((_request, response) => html(response));
    const http = guard({ limits: { perHostPerSecond: 0.01, perHostBurst: 2 } });
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => http.get(`http://127.0.0.1:${port}/`, { timeoutMs: 5000 })),
    );
    expect(outcomes.map(reason).sort()).toEqual(['rate_limited', 'status 200', 'status 200']);
  });
});
