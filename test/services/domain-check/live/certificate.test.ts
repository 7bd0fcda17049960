import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { packageFile } from '../../../../src/foundation/files.ts';
import { parseAllowList } from '../../../../src/foundation/http/allow-list.ts';
import { fetchCertificate } from '../../../../src/services/domain-check/live/certificate.ts';
import { readSite } from '../../../../src/services/domain-check/site.ts';

const fixture = (name: string) =>
  readFileSync(packageFile('test', 'services', 'domain-check', 'live', 'fixtures', name), 'utf8');
const authority = fixture('authority.pem');
const open: Server[] = [];

const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function listen(server: Server): Promise<number> {
  open.push(server);
  server.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const tlsServer = (certificate: string) =>
  listen(
    createServer({ cert: fixture(certificate), key: fixture('site.key.pem') }).on(
      'tlsClientError',
      () => undefined,
    ),
  );

function ask(
  port: number,
  options: {
    host?: string;
    allowed?: string[];
    trusted?: boolean;
    addresses?: string[];
    signal?: AbortSignal;
  } = {},
) {
  const site = readSite(`https://${options.host ?? 'limpede-check.ro'}:${port}/`);
  if (site === undefined || !('domain' in site)) throw new Error('expected a site');
  const rules = {
    allow: parseAllowList(options.allowed ?? [`127.0.0.1:${port}`]),
    ...(options.trusted !== false && { authorities: [authority] }),
  };
  return fetchCertificate(
    site,
    options.addresses ?? ['127.0.0.1'],
    rules,
    options.signal ?? AbortSignal.timeout(10_000),
  );
}

describe('the certificate check', () => {
  test('a good certificate', async () => {
    expect(await ask(await tlsServer('site.pem'))).toMatchObject({
      encrypted: true,
      valid: true,
      problem: null,
      validFrom: '2020-01-01T00:00:00.000Z',
      validTo: '2120-01-01T00:00:00.000Z',
      issuer: 'Test authority',
      names: 2,
      protocol: 'TLSv1.3',
      fingerprint256: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
    });
  });

  test.each([
    ['expired', 'expired.pem', {}],
    ['wrong_name', 'site.pem', { host: 'other-site.ro' }],
    ['untrusted', 'site.pem', { trusted: false }],
  ])('%s', async (problem, certificate, options) => {
    const answer = await ask(await tlsServer(certificate), options);
    expect(answer).toMatchObject({ encrypted: true, valid: false, problem });
  });

  test('a server without TLS has no encryption', async () => {
    const port = await listen(createPlainServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect(await ask(port)).toMatchObject({ encrypted: false, valid: false });
  });

  test('a refused port has no encryption', async () => {
    const server = createPlainServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await ask(port)).toMatchObject({ encrypted: false, valid: false });
  });

  test('private addresses are not connected to, whatever name leads there', async () => {
    let connections = 0;
    const port = await listen(createPlainServer(() => connections++));
    const addresses = [
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      '::ffff:127.0.0.1',
      'fd00:ec2::254',
    ];
    await expect(ask(port, { allowed: [], addresses })).rejects.toMatchObject({
      state: 'skipped',
      reason: 'private_address',
    });
    expect(connections).toBe(0);
  });

  test('no address, nothing to ask', async () => {
    await expect(ask(443, { addresses: [] })).rejects.toMatchObject({
      state: 'skipped',
      reason: 'no_address',
    });
  });

  test('a server that says nothing is left', async () => {
    const port = await listen(createPlainServer(() => undefined));
    await expect(ask(port, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('a second address helps when the first is out of reach', async () => {
    const port = await tlsServer('site.pem');
    const addresses = ['127.0.0.2', '127.0.0.1'];
    expect(await ask(port, { addresses, allowed: ['127.0.0.0/8'] })).toMatchObject({
      encrypted: true,
      valid: true,
    });
  });
});
