import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseAllowList } from '../../../src/foundation/http/allow-list.ts';
import { type ConnectorOptions, guardedConnector } from '../../../src/foundation/http/connector.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(host: string): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

/** The reason of the refusal, or the address that was reached. */
function reach(hostname: string, port: number, options: Partial<ConnectorOptions>): Promise<string> {
  const connector = guardedConnector({
    allow: parseAllowList(['127.0.0.0/8']),
    resolve: async () => ['127.0.0.1'],
    dnsMs: 1000,
    connectMs: 1000,
    ...options,
  });
  return new Promise((resolve) => {
    connector({ hostname, host: hostname, protocol: 'http:', port: String(port) }, (error, socket) => {
      resolve(error === null ? String(socket.remoteAddress) : String((error as { reason?: string }).reason));
      socket?.destroy();
    });
  });
}

describe('a guarded connection', () => {
  it('goes to the address that was checked', async () => {
    const port = await listen('127.0.0.1');
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return ['127.0.0.1'];
    };
    expect(await reach('news.example.', port, { resolve })).toBe('127.0.0.1');
    expect(asked).toEqual(['news.example']);
  });

  it('tries the further addresses of a name', async () => {
    const port = await listen('127.0.0.1');
    expect(await reach('news.example', port, { resolve: async () => ['127.0.0.3', '127.0.0.1'] })).toBe(
      '127.0.0.1',
    );
  });

  it('is cut when it went anywhere else', async () => {
    const elsewhere = await listen('127.0.0.2');
    const build: ConnectorOptions['build'] = () => (_target, callback) => {
      const socket = connect(elsewhere, '127.0.0.2', () => callback(null, socket));
    };
    expect(await reach('news.example', elsewhere, { build })).toBe('url_not_allowed');
  });

  it('is not made to a literal address outside the public network, nor to a name in it', async () => {
    const allow = parseAllowList([]);
    expect(await reach('127.0.0.1', 80, { allow })).toBe('url_not_allowed');
    expect(await reach('news.example', 80, { allow })).toBe('url_not_allowed');
  });

  it('is not made to a name without an address', async () => {
    expect(await reach('news.example', 80, { resolve: async () => [] })).toBe('dns_failed');
    expect(await reach('news.example', 80, { resolve: () => Promise.reject(new Error('x')) })).toBe(
      'dns_failed',
    );
  });
});
