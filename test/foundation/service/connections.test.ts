import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createIdleConnectionSweep } from '../../../src/foundation/service/connections.ts';

describe('a server that closes', () => {
  it('lets an answer be finished, and waits for nobody else', async () => {
    const release: (() => void)[] = [];
    const server = createServer((_request, response) => {
      release.push(() => response.end('done'));
    });
    const begin = createIdleConnectionSweep(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const open = async (bytes: string) => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      let heard = '';
      socket.on('data', (data) => {
        heard += data.toString();
      });
      socket.write(bytes);
      return { ended: once(socket, 'close').then(() => heard) };
    };
    const silent = await open('');
    const halfway = await open('GET / HTTP/1.1\r\nhost: localhost\r\n');
    const asking = await open('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive\r\n\r\n');
    while (release.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));

    const closed = new Promise((resolve) => server.close(resolve));
    const end = begin();
    expect(await silent.ended).toBe('');
    expect(await halfway.ended).toBe('');
    release[0]?.();
    // Kept alive by both sides, and closed all the same.
    expect(await asking.ended).toContain('done');
    await closed;
    end();
  });
});
