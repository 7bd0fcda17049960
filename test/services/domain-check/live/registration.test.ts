import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { packageFile } from '../../../../src/foundation/files.ts';
import type { VendorClient } from '../../../../src/foundation/vendor-client.ts';
import {
  createRegistryClient,
  domainObject,
  fetchRegistration,
  recordAddress,
  registrationOf,
} from '../../../../src/services/domain-check/live/registration.ts';
import { readSite } from '../../../../src/services/domain-check/site.ts';

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(packageFile('test', 'services', 'domain-check', 'live', 'fixtures', name), 'utf8'));
const readRecord = (body: unknown) => registrationOf(domainObject.parse(body), 'https://x');
const siteOf = (host: string) => {
  const site = readSite(host);
  if (site === undefined || !('domain' in site)) throw new Error(`${host} is no site`);
  return site;
};

describe('recordAddress', () => {
  test.each([
    ['www.site.com', undefined, 'https://rdap.verisign.com/com/v1/domain/site.com'],
    ['site.ro', undefined, 'https://rdap.rotld.ro/domain/site.ro'],
    ['site.co.uk', undefined, 'https://rdap.nominet.uk/uk/domain/site.co.uk'],
    ['bücher.com', undefined, 'https://rdap.verisign.com/com/v1/domain/xn--bcher-kva.com'],
    ['site.unlistedsuffix', undefined, undefined],
    ['site.ro', 'http://127.0.0.1:9', 'http://127.0.0.1:9/domain/site.ro'],
  ])('%s at %s', (host, server, address) => {
    expect(recordAddress(siteOf(host), server)).toBe(address);
  });
});

describe('a record', () => {
  test('a record of a generic suffix', () => {
    expect(readRecord(fixture('rdap-com.json'))).toEqual({
      found: true,
      record: 'https://x',
      registeredAt: '2011-03-25T18:53:22.000Z',
      changedAt: '2024-03-20T10:00:00.000Z',
      expiresAt: '2126-03-25T18:53:22.000Z',
      registrar: 'Example Registrar, Inc.',
      status: ['client delete prohibited', 'client transfer prohibited'],
      nameServers: ['ns1.limpede-check.com', 'ns2.limpede-check.com'],
      delegationSigned: true,
    });
  });

  test('a spare record of a country suffix, with local times', () => {
    expect(readRecord(fixture('rdap-ro.json'))).toMatchObject({
      registeredAt: '2019-05-01T21:00:00.000Z',
      changedAt: null,
      registrar: 'Registrar SRL',
      delegationSigned: null,
    });
  });

  test.each([
    [null],
    [[]],
    ['text'],
    [{}],
    [{ objectClassName: 'entity', ldhName: 'x' }],
    [{ errorCode: 500 }],
  ])('%j is no record', (body) => {
    expect(domainObject.safeParse(body).success).toBe(false);
  });

  test('wrong dates and odd parts are left out, the rest is read', () => {
    const body = {
      ldhName: 'site.com',
      status: 'active',
      events: [
        { eventAction: 'registration', eventDate: 'long ago' },
        7,
        { eventAction: 'expiration', eventDate: '2030-01-01T00:00:00Z' },
      ],
      nameservers: [{}, { ldhName: 'NS1.X.COM' }],
      entities: [{ roles: 'registrar' }, { roles: ['registrar'], vcardArray: ['vcard', 'no'] }],
      secureDNS: [],
    };
    expect(readRecord(body)).toMatchObject({
      registeredAt: null,
      expiresAt: '2030-01-01T00:00:00.000Z',
      nameServers: ['ns1.x.com'],
      registrar: null,
      status: [],
    });
  });

  test('any body is a record or none, and never an error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const result = domainObject.safeParse(body);
        if (result.success) registrationOf(result.data, 'https://x');
      }),
    );
  });
});

describe('askRegistry', () => {
  const open: Server[] = [];
  const clients: VendorClient[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await Promise.all(
      open.splice(0).map(
        (server) =>
          new Promise((resolve) => {
            server.close(resolve);
            server.closeAllConnections();
          }),
      ),
    );
  });

  async function registryAt(listener: RequestListener, limitMs = 10_000) {
    const server = createServer(listener);
    open.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/domain/site.com`;
    const client = createRegistryClient(limitMs, 60_000);
    clients.push(client);
    return () => fetchRegistration(address, client, new AbortController().signal);
  }
  const ask = async (listener: RequestListener, limitMs?: number) => (await registryAt(listener, limitMs))();

  test('reads the record', async () => {
    let accept: string | undefined;
    const answer = await ask((request, response) => {
      accept = request.headers.accept;
      response
        .setHeader('content-type', 'application/rdap+json')
        .end(JSON.stringify(fixture('rdap-com.json')));
    });
    expect(answer).toMatchObject({ found: true, registrar: 'Example Registrar, Inc.' });
    expect(accept).toContain('application/rdap+json');
  });

  test('a name that the registry does not have is an answer', async () => {
    const answer = await ask((_, response) => response.writeHead(404).end('{"errorCode":404}'));
    expect(answer).toMatchObject({ found: false, registeredAt: null });
  });

  test.each<[string, number, string, string]>([
    ['429', 429, '', 'rate_limited'],
    ['500', 500, 'oops', 'invalid_answer'],
    ['a redirect', 302, '', 'invalid_answer'],
    ['no JSON', 200, '<html>', 'invalid_answer'],
    ['another object', 200, '{"objectClassName":"entity"}', 'invalid_answer'],
    ['too much', 200, `"${'x'.repeat(600 * 1024)}"`, 'invalid_answer'],
  ])('%s is no answer', async (_, status, body, reason) => {
    await expect(ask((__, response) => response.writeHead(status).end(body))).rejects.toMatchObject({
      reason,
    });
  });

  test('a registry that failed is left alone for a while', async () => {
    let asked = 0;
    const again = await registryAt((request) => {
      asked++;
      request.socket.destroy();
    });
    await expect(again()).rejects.toMatchObject({ reason: 'unreachable' });
    await expect(again()).rejects.toMatchObject({ reason: 'unreachable_lately' });
    expect(asked).toBe(1);
  });

  test('a name that is not there is no reason to leave a registry alone', async () => {
    const again = await registryAt((_, response) => response.writeHead(404).end());
    for (let turn = 0; turn < 3; turn++) expect(await again()).toMatchObject({ found: false });
  });

  test('a broken connection and a silent server end with a reason', async () => {
    await expect(ask((request) => request.socket.destroy())).rejects.toMatchObject({ reason: 'unreachable' });
    await expect(ask(() => undefined, 50)).rejects.toMatchObject({ reason: 'timeout' });
  });
});
