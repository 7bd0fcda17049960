import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import {
  ClientDisconnectedError,
  meteredBody,
  readSmallBody,
} from '../../../src/foundation/service/request-body.ts';

const failures = { tooLarge: () => new Error('too large'), tooSlow: () => new Error('too slow') };
/** Longer than a test may take, so that a pause cannot be what ends the body. */
const limits = { bytes: 1_000, pauseMs: 600_000 };

/** A request whose sender left in the middle of its body. */
async function requestLeftBehind(): Promise<IncomingMessage> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const arriving = new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nfive!');
  const request = await arriving;
  const closed = new Promise<void>((resolve) => request.once('close', resolve));
  request.on('error', () => undefined);
  socket.destroy();
  await closed;
  server.close();
  return request;
}

describe('a body whose sender left before anybody read it', () => {
  it('ends as it streams', async () => {
    const body = meteredBody(await requestLeftBehind(), limits, failures);
    await expect(buffer(body)).rejects.toBeInstanceOf(ClientDisconnectedError);
  });

  it('ends in one piece', async () => {
    const body = readSmallBody(await requestLeftBehind(), limits, failures);
    await expect(body).rejects.toBeInstanceOf(ClientDisconnectedError);
  });
});
