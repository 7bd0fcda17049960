import { afterEach, describe, expect, test } from 'vitest';
import { createNameLookup } from '../../../../src/services/domain-check/live/names.ts';
import { readSite } from '../../../../src/services/domain-check/site.ts';
import { TestNameServer, type Zone } from './dns-server.ts';

const root = { NS: ['a.root-servers.net'] };
const open: TestNameServer[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function ask(host: string, zone: Zone, limitMs = 5000) {
  const server = new TestNameServer(zone);
  open.push(server);
  const site = readSite(host);
  if (site === undefined || !('domain' in site)) throw new Error(`${host} is no site`);
  return createNameLookup([await server.listen()], limitMs).ask(site, AbortSignal.timeout(20_000));
}

describe('the name lookup', () => {
  test('reads a well-kept domain', async () => {
    const zone: Zone = {
      '': root,
      'www.site.ro': { A: ['93.184.215.14'], AAAA: ['2606:2800:0220:0001:0248:1893:25c8:1946'] },
      'site.ro': {
        A: ['93.184.215.14'],
        NS: ['NS2.host.ro', 'ns1.host.ro'],
        MX: ['10 mail.site.ro'],
        TXT: ['hello', 'v=spf1 mx -all'],
        CAA: ['letsencrypt.org'],
      },
      '_dmarc.site.ro': { TXT: ['v=DMARC1; p=reject; rua=mailto:a@site.ro'] },
    };
    expect(await ask('www.site.ro', zone)).toEqual({
      found: true,
      addresses: ['93.184.215.14', '2606:2800:220:1:248:1893:25c8:1946'],
      nameServers: ['ns1.host.ro', 'ns2.host.ro'],
      mail: 'receives',
      spf: true,
      dmarc: 'reject',
      caa: true,
    });
  });

  test('a bare domain has no mail and no policy', async () => {
    expect(await ask('site.ro', { '': root, 'site.ro': { A: ['93.184.215.14'] } })).toEqual({
      found: true,
      addresses: ['93.184.215.14'],
      nameServers: [],
      mail: 'none',
      spf: false,
      dmarc: 'absent',
      caa: false,
    });
  });

  test.each([
    ['0 .', 'refuses'],
    ['5 mx.site.ro', 'receives'],
  ])('mail of %s', async (record, mail) => {
    expect(await ask('site.ro', { '': root, 'site.ro': { MX: [record] } })).toMatchObject({ mail });
  });

  test.each([
    ['v=DMARC1; p=none', 'none'],
    ['v=DMARC1;p=quarantine;', 'quarantine'],
    ['v=DMARC1', 'invalid'],
    ['v=DMARC10; p=reject', 'absent'],
  ])('policy of %s', async (record, dmarc) => {
    expect(
      await ask('site.ro', { '': root, 'site.ro': {}, '_dmarc.site.ro': { TXT: [record] } }),
    ).toMatchObject({ dmarc });
  });

  test('a name that does not exist is an answer', async () => {
    expect(await ask('site.ro', { '': root })).toMatchObject({ found: false, addresses: [] });
  });

  test('a missing host of an existing domain is no missing domain', async () => {
    expect(await ask('old.site.ro', { '': root, 'site.ro': { NS: ['ns1.host.ro'] } })).toMatchObject({
      found: true,
      addresses: [],
      nameServers: ['ns1.host.ro'],
    });
  });

  test('a resolver that does not know the root proves nothing', async () => {
    await expect(ask('site.ro', {})).rejects.toMatchObject({ reason: 'unreliable_resolver' });
  });

  test('failing name servers are told apart from a missing name', async () => {
    const zone: Zone = { '': root, 'site.ro': 'servfail', '_dmarc.site.ro': 'servfail' };
    await expect(ask('site.ro', zone)).rejects.toMatchObject({ reason: 'name_servers_silent' });
  });

  test('what was not answered stays unknown', async () => {
    const zone: Zone = {
      '': root,
      'www.site.ro': { A: ['93.184.215.14'] },
      'site.ro': 'servfail',
      '_dmarc.site.ro': 'servfail',
    };
    expect(await ask('www.site.ro', zone)).toMatchObject({
      found: true,
      nameServers: null,
      mail: null,
      spf: null,
      dmarc: null,
      caa: null,
    });
  });

  test('a silent server ends by the limit', async () => {
    const zone: Zone = { '': 'silent', 'site.ro': 'silent', '_dmarc.site.ro': 'silent' };
    await expect(ask('site.ro', zone, 100)).rejects.toMatchObject({ reason: 'unreachable' });
  });
});
