import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineContract } from '../../../src/foundation/contract.ts';
import { defineFailures, errorResponse } from '../../../src/foundation/errors.ts';
import { bytesBody } from '../../../src/foundation/payloads.ts';
import { buildService, defineService } from '../../../src/foundation/service.ts';
import { startManualClock, until } from '../../patience.ts';

const contract = defineContract({
  name: 'sample',
  title: 'Sample',
  version: '1.0.0',
  description: 'A service for the tests.',
  errors: defineFailures({
    validation_failed: [400, 'The request is not valid.'],
    invalid_json: [400, 'The body is not JSON.'],
    payload_too_large: [413, 'The body is too large.'],
    not_found: [404, 'Nothing is here.'],
    internal_error: [500, 'Something went wrong.'],
    shutting_down: [503, 'The service is stopping.'],
  }),
  operations: {
    say: {
      method: 'POST',
      path: '/v1/say',
      summary: 'Say',
      access: 'public',
      body: z.object({ text: z.string() }),
      answer: z.object({ length: z.int() }),
    },
    upload: {
      method: 'POST',
      path: '/v1/upload',
      summary: 'Upload',
      access: 'public',
      body: bytesBody({ maxBytes: 2 ** 30 }),
      answer: z.object({ length: z.int() }),
    },
  },
});

const service = defineService({
  contract,
  settings: z.object({}),
  needs: async () => ({ disk: { probe: async () => {} } }),
  errorBody: (failure, call) => errorResponse(failure, call.correlationId),
  routes: () => ({
    say: ({ body }) => ({ length: body.text.length }),
    upload: async ({ body }) => {
      let length = 0;
      for await (const chunk of body.content) length += (chunk as Buffer).length;
      return { length };
    },
  }),
  attach: async (app) => {
    // What hands the connection to a library, as the sign-in provider does.
    app.post('/raw', (request, reply) => {
      reply.hijack();
      request.raw.resume().once('end', () => reply.raw.end('{}'));
    });
  },
});

const platform = {
  home: '/nonexistent',
  version: '1.0.0',
  publicUrl: 'http://127.0.0.1:8080',
  log: pino({ level: 'silent' }),
  metrics: new Registry(),
  database: () => Promise.reject(new Error('no database here')),
};

/** What a test has started; the clock stands before the server is made. */
interface Running {
  readonly clock: ReturnType<typeof startManualClock>;
  readonly port: number;
  readonly accepted: Socket[];
  readonly open: Socket[];
  requests: number;
  close(): Promise<void>;
}
let running: Running;
beforeEach(async () => {
  const clock = startManualClock();
  platform.metrics.clear();
  const built = await buildService(service, {}, platform);
  await built.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = built.app.server.address() as AddressInfo;
  running = { clock, port, accepted: [], open: [], requests: 0, close: built.close };
  built.app.server.on('connection', (socket) => running.accepted.push(socket));
  built.app.server.on('request', () => {
    running.requests += 1;
  });
});
afterEach(async () => {
  running.clock.restore();
  for (const socket of running.open) socket.destroy();
  await running.close();
});

/** A connection that has begun a request. */
async function begin(path: string, type: string, length: number | 'chunked') {
  const socket = connect(running.port, '127.0.0.1');
  running.open.push(socket);
  let heard = '';
  socket.on('data', (data) => {
    heard += data.toString();
  });
  socket.on('error', () => undefined);
  // Not events.once: an error before the close would reject a promise that is not awaited.
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(heard));
  });
  const size = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  const before = running.requests;
  socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\n${size}\r\n\r\n`);
  await until(() => running.requests > before);
  return { socket, closed, heard: () => heard };
}

const arrived = () => Math.max(0, ...running.accepted.map(({ bytesRead }) => bytesRead));
const received = (bytes: number) => until(() => arrived() >= bytes);

describe('a body that drips', () => {
  it.each([
    ['JSON', '/v1/say', 'application/json', 1000],
    ['JSON in chunks', '/v1/say', 'application/json', 'chunked'],
    ['an upload', '/v1/upload', 'application/octet-stream', 1_000_000],
    ['one that a library reads', '/raw', 'application/json', 1000],
  ] as const)('is answered 408 and closed: %s', async (_name, path, type, length) => {
    const { socket, closed, heard } = await begin(path, type, length);
    for (let seconds = 0; seconds < 45 && heard() === ''; seconds += 5) {
      const size = arrived();
      socket.write(length === 'chunked' ? '1\r\n{\r\n' : '{');
      await received(size + 1);
      await running.clock.advance(5_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => heard() !== '');
    expect(heard()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(heard()).toContain('"error_code":"validation_failed"');
    // A sender that goes on is cut off.
    await running.clock.advance(5_000);
    await closed;
  });
});

describe('a body that makes progress', () => {
  it('is taken, however long it takes', async () => {
    const piece = Buffer.alloc(5_000);
    const pieces = 20;
    const { socket, heard } = await begin('/v1/upload', 'application/octet-stream', piece.length * pieces);
    for (let count = 0; count < pieces; count += 1) {
      const size = arrived();
      socket.write(piece);
      await received(size + piece.length);
      if (count < pieces - 1) await running.clock.advance(25_000);
    }
    await until(() => heard().includes('}'));
    expect(heard()).toMatch(/^HTTP\/1\.1 200 /);
    expect(heard()).toContain(`{"length":${piece.length * pieces}}`);
  });
});

describe('a body of 30 MB', () => {
  it.each([true, false])('is refused in the words of the service; its length told: %s', async (told) => {
    const pieces = 30;
    const piece = Buffer.alloc(1_000_000, 'x');
    const chunk = Buffer.concat([
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from('\r\n'),
    ]);
    const length = told ? pieces * piece.length : 'chunked';
    const { socket, heard } = await begin('/v1/say', 'application/json', length);
    // A sender that looks at the answer only after its last byte must still find it.
    for (let count = 0; count < pieces; count += 1) socket.write(told ? piece : chunk);
    if (!told) socket.write('0\r\n\r\n');
    socket.write('GET /v1/info HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    await until(() => heard().includes('}HTTP/1.1 200 '));
    expect(heard()).toMatch(/^HTTP\/1\.1 413 /);
    expect(heard()).toContain('"error_code":"payload_too_large"');
  });
});
