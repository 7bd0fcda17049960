import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { createCall } from '../../../src/foundation/service/call.ts';
import { silent } from '../database/engines.ts';

/** The response to a caller who leaves at once. */
async function responseLeftBehind(): Promise<ServerResponse> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const answering = new Promise<ServerResponse>((resolve) =>
    server.once('request', (_request, response) => resolve(response)),
  );
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const response = await answering;
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  socket.destroy();
  await closed;
  server.close();
  return response;
}

describe('the signal of a call', () => {
  it('is aborted when its caller left before anything asked for it', async () => {
    const raw = await responseLeftBehind();
    const { signal } = createCall({ raw } as unknown as FastifyReply, silent, 'one');
    expect(signal.aborted).toBe(true);
  });
});
