import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { parseAllowList } from '../../../../src/foundation/http/allow-list.ts';
import { createWhois } from '../../../../src/services/domain-check/live/whois.ts';
import { readSite } from '../../../../src/services/domain-check/site.ts';

const siteOf = (host: string) => {
  const site = readSite(host);
  if (site === undefined || !('domain' in site)) throw new Error(`${host} is no site`);
  return site;
};
const { signal } = new AbortController();
const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** A WHOIS server on loopback that answers queries by the table, and keeps them. */
async function serve(answer: (query: string, socket: Socket) => string | undefined) {
  const queries: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (data) => {
        const query = data.toString();
        queries.push(query);
        const text = answer(query.trim(), socket);
        if (text !== undefined) socket.end(text);
      });
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { queries, port: (server.address() as AddressInfo).port };
}

const RECORD = (name: string) => `Domain Name: ${name}\r\nRegistered On: 2019-05-02\r\n`;
/** Every name leads to loopback; `allowed` says whether that may be reached. */
const client = (port: number, { allowed = true, limitMs = 20_000, one = false } = {}) =>
  createWhois({
    server: one ? { host: '127.0.0.1', port } : undefined,
    port,
    outbound: {
      allow: parseAllowList(allowed ? [`127.0.0.1:${port}`] : []),
      resolve: async () => ['127.0.0.1'],
      dnsMs: 5000,
      connectMs: 5000,
    },
    limitMs,
    retryMs: 60_000,
  });

describe('WHOIS', () => {
  test('asks the server of the suffix, in its form', async () => {
    const { port, queries } = await serve((query) => RECORD(query.split(' ').at(-1) ?? ''));
    expect(await client(port).ask(siteOf('www.site.ro'), signal)).toMatchObject({
      found: true,
      registeredAt: '2019-05-02T00:00:00.000Z',
      record: 'whois://whois.rotld.ro/site.ro',
    });
    await client(port).ask(siteOf('site.de'), signal);
    expect(queries).toEqual(['site.ro\r\n', '-T dn,ace site.de\r\n']);
  });

  test('asks the root for the server of any other suffix, once', async () => {
    const { port, queries } = await serve((query) =>
      query === 'travel' ? 'domain: TRAVEL\nrefer:        whois.nic.travel\n' : RECORD(query),
    );
    const whois = client(port);
    await whois.ask(siteOf('one.travel'), signal);
    expect(await whois.ask(siteOf('two.travel'), signal)).toMatchObject({
      record: 'whois://whois.nic.travel/two.travel',
    });
    expect(queries).toEqual(['travel\r\n', 'one.travel\r\n', 'two.travel\r\n']);
  });

  test.each(['', 'refer:\n', 'refer: 127.0.0.1/x\n', 'refer: localhost\n', 'refer: a..b\n'])(
    'a root that answers %j knows no server',
    async (answer) => {
      const { port } = await serve(() => answer);
      await expect(client(port).ask(siteOf('one.travel'), signal)).rejects.toMatchObject({
        reason: 'no_registry_server',
      });
    },
  );

  test('a server at a private address is not connected to', async () => {
    const { port, queries } = await serve(() => RECORD('site.ro'));
    await expect(client(port, { allowed: false }).ask(siteOf('site.ro'), signal)).rejects.toMatchObject({
      reason: 'private_address',
    });
    expect(queries).toEqual([]);
    // The operator's own server is reached wherever it stands.
    const own = client(port, { allowed: false, one: true });
    expect(await own.ask(siteOf('site.ro'), signal)).toMatchObject({ found: true });
  });

  test.each<[string, (query: string, socket: Socket) => string | undefined, string]>([
    ['too much', () => 'x'.repeat(200_000), 'invalid_answer'],
    ['no record', () => 'Come back tomorrow.', 'invalid_answer'],
    ['a cut connection', (_, socket) => void socket.resetAndDestroy(), 'connection_closed'],
    ['silence', () => undefined, 'timeout'],
  ])('%s is no answer', async (_, answer, reason) => {
    const { port } = await serve(answer);
    const whois = client(port, { limitMs: reason === 'timeout' ? 100 : 20_000 });
    await expect(whois.ask(siteOf('site.ro'), signal)).rejects.toSatisfy(
      (error: { reason: string }) => error.reason === reason,
    );
  });

  test('a server that failed is left alone for a while', async () => {
    const { port, queries } = await serve((_, socket) => void socket.resetAndDestroy());
    const whois = client(port);
    await expect(whois.ask(siteOf('site.ro'), signal)).rejects.toMatchObject({ reason: 'connection_closed' });
    await expect(whois.ask(siteOf('site.ro'), signal)).rejects.toMatchObject({
      reason: 'unreachable_lately',
    });
    expect(queries).toHaveLength(1);
  });
});
