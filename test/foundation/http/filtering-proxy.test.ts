import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createGuardedHttp, type FilteringProxy, type GuardOptions } from '../../../src/foundation/http.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A server of the private network that counts what it is asked. */
async function inner(body: Buffer | string = 'inside', host = '127.0.0.1', onPort = 0) {
  const hits: string[] = [];
  const server: Server = createServer((incoming, response) => {
    hits.push(`${incoming.method} ${incoming.url} ${incoming.headers.host}`);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(onPort, host, resolve));
  opened.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return { port: (server.address() as AddressInfo).port, hits };
}

async function proxyOf(options: Partial<GuardOptions>): Promise<FilteringProxy> {
  const http = createGuardedHttp({ allowedPrivateHosts: [], userAgent: 'T/1', ...options });
  const proxy = await http.proxy();
  opened.push(
    () => http.close(),
    () => proxy.close(),
  );
  return proxy;
}

/** What a browser gets for an open address; undefined when the connection is cut. */
function getThrough(proxy: FilteringProxy, address: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(proxy.url);
    const asking = request(
      { hostname, port, path: address, headers: { host: new URL(address).host } },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString('latin1');
        });
        answer.once('error', () => resolve(undefined));
        answer.once('end', () => resolve(text));
      },
    );
    asking.once('error', () => resolve(undefined));
    asking.end();
  });
}

/** The first line that a browser gets for a tunnel. */
function tunnelThrough(proxy: FilteringProxy, authority: string): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(proxy.url);
    const socket = connect(Number(port), hostname, () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`),
    );
    socket.once('data', (chunk: Buffer) => {
      socket.destroy();
      resolve(chunk.toString().split('\r\n')[0] ?? '');
    });
    socket.once('error', () => resolve('cut off'));
  });
}

describe('a filtering proxy', () => {
  it('reaches what is allowed, openly and by tunnels', async () => {
    const { port, hits } = await inner();
    const proxy = await proxyOf({ allowedPrivateHosts: [`127.0.0.1:${port}`] });
    expect(await getThrough(proxy, `http://127.0.0.1:${port}/a?b`)).toBe('inside');
    expect(hits).toEqual([`GET /a?b 127.0.0.1:${port}`]);
    expect(await tunnelThrough(proxy, `127.0.0.1:${port}`)).toContain('200');
  });

  it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '169.254.169.254', 'metadata.google.internal'])(
    'does not reach %s, openly or by a tunnel',
    async (host) => {
      const { port, hits } = await inner();
      const proxy = await proxyOf({});
      expect(await getThrough(proxy, `http://${host}:${port}/`)).toBeUndefined();
      expect(await tunnelThrough(proxy, `${host}:${port}`)).toContain('502');
      expect(proxy.failure(host.replace(/^\[(.*)\]$/, '$1')) ?? proxy.failure('::ffff:7f00:1')).toBe(
        'url_not_allowed',
      );
      expect(hits).toEqual([]);
    },
  );

  it('checks each connection of a name that changes its address', async () => {
    const { port } = await inner('allowed');
    const secret = await inner('secret', '127.0.0.2', port);
    const addresses = ['127.0.0.1', '127.0.0.2'];
    const proxy = await proxyOf({
      allowedPrivateHosts: [`127.0.0.1:${port}`],
      resolve: async () => [addresses.shift() ?? '127.0.0.2'],
    });
    expect(await getThrough(proxy, `http://rebinding.example:${port}/`)).toBe('allowed');
    expect(await getThrough(proxy, `http://rebinding.example:${port}/`)).toBeUndefined();
    expect(secret.hits).toEqual([]);
    expect(proxy.failure('rebinding.example')).toBe('url_not_allowed');
  });

  it('ends with the page that takes too much', async () => {
    const { port } = await inner(Buffer.alloc(300_000));
    const proxy = await proxyOf({
      allowedPrivateHosts: ['127.0.0.1'],
      limits: () => ({ wireBytes: 200_000 }),
    });
    let told = 0;
    proxy.onOverdrawn(() => {
      told++;
    });
    expect(await getThrough(proxy, `http://127.0.0.1:${port}/`)).toBeUndefined();
    expect([proxy.isOverdrawn, told]).toEqual([true, 1]);
    expect(await getThrough(proxy, `http://127.0.0.1:${port}/`)).toBeUndefined();
  });
});
