import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type Client,
  type ClientOptions,
  createClient,
  type Loss,
  type Refusal,
} from '../../src/foundation/client.ts';
import { defineContract } from '../../src/foundation/contract.ts';
import { defineFailures } from '../../src/foundation/errors.ts';

const contract = defineContract({
  name: 'sample',
  title: 'Sample',
  version: '1.0.0',
  description: 'A service for the tests.',
  errors: defineFailures({
    validation_failed: [422, 'The request is not valid.'],
    invalid_json: [400, 'The body is not JSON.'],
    payload_too_large: [413, 'The body is too large.'],
    not_found: [404, 'Nothing is here.'],
    internal_error: [500, 'Something went wrong.'],
    shutting_down: [503, 'The service is stopping.'],
  }),
  operations: {
    score: {
      method: 'POST',
      path: '/v1/score/{id}',
      summary: 'Score',
      access: 'public',
      params: z.object({ id: z.string() }),
      query: z.object({ depth: z.number().default(1), tags: z.array(z.string()).optional() }),
      headers: z.object({ 'x-search-tier': z.string().optional() }),
      body: z.object({ text: z.string() }),
      answer: z.object({ score: z.number().min(0).max(1), label: z.string().default('none') }),
      answers: { 202: z.object({ later: z.literal(true) }) },
    },
    list: {
      method: 'GET',
      path: '/v1/list',
      summary: 'List',
      access: 'public',
      answer: z.array(z.string()),
    },
    bytes: {
      method: 'POST',
      path: '/v1/bytes',
      summary: 'Bytes',
      access: 'public',
      raw: true,
      answer: z.unknown(),
    },
  },
});
type Sample = Client<typeof contract>;

const opened: Array<() => Promise<unknown> | unknown> = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function listen(server: Server, port = 0): Promise<string> {
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', resolve),
  );
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (listener: RequestListener) => listen(createServer(listener));
const answering = (status: number, body: unknown) =>
  serve((_request, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body)),
  );

function client(url: string | undefined, options: Partial<ClientOptions> = {}): Sample {
  const made = createClient(contract, { name: 'sample', url, timeoutMs: 30_000, ...options });
  opened.push(() => made.close());
  return made;
}

async function call(made: Sample, signal?: AbortSignal) {
  const losses: Loss[] = [];
  const refusals: Refusal[] = [];
  const answer = await made.score(
    { params: { id: 'a' }, query: {}, headers: {}, body: { text: 'x' } },
    { signal, lost: (loss) => losses.push(loss), refused: (refusal) => refusals.push(refusal) },
  );
  return { answer, losses, refusals, reason: losses[0]?.reason };
}

const text = async (request: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

describe('a call', () => {
  it('is typed by the contract', () => {
    expectTypeOf<Awaited<ReturnType<Sample['list']>>>().toEqualTypeOf<string[] | undefined>();
    expectTypeOf<Awaited<ReturnType<Sample['score']>>>().toEqualTypeOf<
      { score: number; label: string } | { later: true } | undefined
    >();
    expectTypeOf<Sample>().not.toHaveProperty('bytes');
  });

  it('sends parameters, query, headers, body, token and correlation id, and parses the answer', async () => {
    const seen: Array<{ url: string | undefined; headers: IncomingMessage['headers']; body: string }> = [];
    const url = await serve(async (request, response) => {
      seen.push({ url: request.url, headers: request.headers, body: await text(request) });
      response.end('{"score":0.5,"extra":1}');
    });
    const answer = await client(`${url}/prefix/`, { token: 'secret' }).score(
      {
        params: { id: 'a/b ț' },
        query: { depth: 2, tags: ['x', 'y&z'] },
        headers: { 'x-search-tier': 'premium' },
        body: { text: 'știre' },
      },
      { correlationId: '6f6c0a3e-0000-4000-8000-000000000000' },
    );
    expect(answer).toEqual({ score: 0.5, label: 'none' });
    expect(seen[0]).toMatchObject({
      url: '/prefix/v1/score/a%2Fb%20%C8%9B?depth=2&tags=x&tags=y%26z',
      body: '{"text":"știre"}',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer secret',
        'x-search-tier': 'premium',
        'x-correlation-id': '6f6c0a3e-0000-4000-8000-000000000000',
      },
    });
  });

  it('sends no body and no content type with GET', async () => {
    const url = await serve(async (request, response) => {
      response.end(JSON.stringify([String(request.headers['content-type']), await text(request)]));
    });
    expect(await client(url).list({})).toEqual(['undefined', '']);
  });

  it('reads other successful statuses by their own schema', async () => {
    expect((await call(client(await answering(202, { later: true })))).answer).toEqual({ later: true });
    expect((await call(client(await answering(202, { score: 1 })))).reason).toBe('invalid_answer');
  });

  it('reuses connections', async () => {
    const server = createServer((_request, response) => response.end('[]'));
    const url = await listen(server);
    let connections = 0;
    server.on('connection', () => connections++);
    const made = client(url);
    for (let turn = 0; turn < 10; turn++) await made.list({});
    // The pool may open a second one while the first is still being put back.
    expect(connections).toBeLessThanOrEqual(2);
  });
});

describe('a lost call', () => {
  it.each([
    ['a score above its range', 200, { score: 2 }, 'invalid_answer'],
    ['another shape', 200, ['nonsense'], 'invalid_answer'],
    ['no JSON', 200, '<html>proxy error</html>', 'invalid_answer'],
    ['nothing', 200, '', 'invalid_answer'],
    ['a redirect', 302, '', 'invalid_answer'],
    ['a broken service', 500, { detail: 'x' }, 'unavailable'],
    ['an overloaded service', 503, {}, 'unavailable'],
    ['a slow gateway', 504, {}, 'timeout'],
    ['a limit', 429, {}, 'rate_limited'],
    ['a refused token', 401, {}, 'unavailable'],
  ])('%s', async (_case, status, body, reason) => {
    const { answer, losses } = await call(client(await answering(status, body)));
    expect(answer).toBeUndefined();
    expect(losses).toEqual([{ dependency: 'sample', reason, message: expect.stringMatching(/^sample: /) }]);
  });

  it('is one that takes too long, before or within the answer', async () => {
    const silent = await serve(() => {});
    const dripping = await serve((_request, response) => {
      response.write('{"score"');
    });
    expect((await call(client(silent, { timeoutMs: 50 }))).reason).toBe('timeout');
    expect((await call(client(dripping, { timeoutMs: 50 }))).reason).toBe('timeout');
  });

  it('is one that is cut off', async () => {
    const url = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"score":'));
      }),
    );
    expect((await call(client(url))).reason).toBe('unavailable');
  });

  it('is one without anybody at the other end', async () => {
    const url = await serve(() => {});
    await opened.pop()?.();
    expect((await call(client(url))).reason).toBe('unavailable');
  });

  it('is one with an answer beyond the limit', async () => {
    const url = await answering(200, { score: 0.5, label: 'x'.repeat(5000) });
    expect((await call(client(url, { answerBytes: 1000 }))).reason).toBe('invalid_answer');
    expect((await call(client(url))).answer).toMatchObject({ score: 0.5 });
  });

  it('is any call to a dependency that is switched off', async () => {
    const made = client(undefined);
    expect((await call(made)).losses).toEqual([
      { dependency: 'sample', reason: 'unavailable', message: 'sample: is switched off' },
    ]);
    expect(made.probe).toBeUndefined();
  });

  it('is nobody’s loss when the caller left', async () => {
    const url = await serve(() => {});
    const leaving = new AbortController();
    const pending = call(client(url), leaving.signal);
    setTimeout(() => leaving.abort(), 20);
    expect(await pending).toMatchObject({ answer: undefined, losses: [], refusals: [] });
    expect(await call(client(url), AbortSignal.abort())).toMatchObject({ answer: undefined, losses: [] });
  });
});

describe('a refusal', () => {
  it('is told with its status and body, and is no loss', async () => {
    const url = await answering(422, { detail: { error: 'validation_error' } });
    const { answer, losses, refusals } = await call(client(url));
    expect(answer).toBeUndefined();
    expect(losses).toEqual([]);
    expect(refusals).toEqual([
      { dependency: 'sample', status: 422, body: { detail: { error: 'validation_error' } } },
    ]);
  });

  it('is a loss for those who do not listen to refusals', async () => {
    const losses: Loss[] = [];
    await client(await answering(404, 'gone')).list({}, { lost: (loss) => losses.push(loss) });
    expect(losses).toEqual([
      { dependency: 'sample', reason: 'invalid_answer', message: 'sample: refused with status 404' },
    ]);
  });
});

describe('the breaker', () => {
  const breaker = { requests: 10, failureShare: 0.5, openMs: 150 };

  async function changeable() {
    const state = { status: 200, hits: 0, hang: false, now: 0 };
    const url = await serve((_request, response) => {
      state.hits++;
      if (!state.hang) response.writeHead(state.status).end('{"score":0.5}');
    });
    const rest = () => {
      state.now += breaker.openMs;
    };
    return { state, rest, url, made: client(url, { breaker, timeoutMs: 5000, now: () => state.now }) };
  }

  it('opens after ten failures, tries once after a rest, and closes when that works', async () => {
    const { state, rest, made } = await changeable();
    state.status = 500;
    for (let turn = 0; turn < 10; turn++) expect((await call(made)).reason).toBe('unavailable');
    expect(state.hits).toBe(10);
    expect((await call(made)).losses[0]?.message).toContain('left alone');
    expect(state.hits).toBe(10);

    rest();
    expect((await call(made)).losses[0]?.message).toContain('status 500');
    expect((await call(made)).losses[0]?.message).toContain('left alone');
    expect(state.hits).toBe(11);

    rest();
    state.status = 200;
    expect((await call(made)).answer).toMatchObject({ score: 0.5 });
    expect((await call(made)).answer).toMatchObject({ score: 0.5 });
    expect(state.hits).toBe(13);
  });

  it('does not count refusals, limits, invalid answers and callers who left', async () => {
    const { state, made } = await changeable();
    for (const status of [404, 422, 429]) {
      state.status = status;
      for (let turn = 0; turn < 10; turn++) await call(made);
    }
    state.hang = true;
    for (let turn = 0; turn < 12; turn++) {
      const leaving = new AbortController();
      const pending = call(made, leaving.signal);
      setTimeout(() => leaving.abort(), 2);
      await pending;
    }
    state.hang = false;
    state.status = 200;
    expect((await call(made)).answer).toMatchObject({ score: 0.5 });
  });

  it('counts calls that took too long', async () => {
    const { state, url } = await changeable();
    const hasty = client(url, { breaker, timeoutMs: 20 });
    state.hang = true;
    const calls = await Promise.all(Array.from({ length: 10 }, () => call(hasty)));
    expect(calls.map(({ reason }) => reason)).toEqual(Array(10).fill('timeout'));
    expect((await call(hasty)).losses[0]?.message).toContain('left alone');
  });

  it('lets nobody wait for the trial call, and learns nothing from one whose caller left', async () => {
    const { state, rest, made } = await changeable();
    state.status = 500;
    for (let turn = 0; turn < 10; turn++) await call(made);
    rest();
    state.hang = true;
    const leaving = new AbortController();
    const trial = call(made, leaving.signal);
    expect((await call(made)).losses[0]?.message).toContain('left alone');
    leaving.abort();
    expect(await trial).toMatchObject({ answer: undefined, losses: [] });
    state.hang = false;
    expect((await call(made)).losses[0]?.message).toContain('status 500');
    expect((await call(made)).losses[0]?.message).toContain('left alone');
  });
});

describe('the probe', () => {
  const probe = async (made: Sample) => {
    try {
      await made.probe?.(AbortSignal.timeout(500));
      return 'healthy';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('tells health by the health operation', async () => {
    expect(await probe(client(await answering(200, { status: 'healthy' })))).toBe('healthy');
    expect(await probe(client(await answering(200, { status: 'degraded' })))).toBe('healthy');
    // The word of the video service.
    expect(await probe(client(await answering(200, { status: 'ok' })))).toBe('healthy');
    expect(await probe(client(await answering(200, { status: 'unhealthy' })))).toBe(
      'says that it is unhealthy',
    );
    expect(await probe(client(await answering(503, {})))).toBe('answered with status 503');
    for (const body of [{}, { status: 'fine' }, [], { ok: true }])
      expect(await probe(client(await answering(200, body)))).toBe('answers with no report of its health');
    const url = await serve(() => {});
    await opened.pop()?.();
    expect(await probe(client(url))).toMatch(/ECONNREFUSED/);
  });
});
