import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readWhois, whoisDate } from '../../../../src/services/domain-check/live/whois-record.ts';

// Records written after the formats that flipbit/whois, weppos/whois-parser and io-developer/php-whois read: names, dates and
// persons are our own.
const record = (...lines: string[]) => lines.join('\r\n');
const ROMANIAN = record(
  '% The WHOIS service offered by the registry',
  '',
  '  Domain Name: limpede-check.ro',
  '  Registered On: 2019-05-02',
  '  Expires On: 2031-05-01',
  '  Registrar: Registrar SRL',
  '  DNSSEC: Inactive',
  '  Nameserver: ns1.host.ro',
  '  Nameserver: ns2.host.ro',
  '  Domain Status: UpdateProhibited',
);
const GENERIC = record(
  '   Domain Name: SITE.XYZ',
  '   Registrar WHOIS Server: whois.registrar.example',
  '   Updated Date: 2024-03-20T10:00:00Z',
  '   Creation Date: 2011-03-25T18:53:22.0Z',
  '   Registry Expiry Date: 2026-03-25T18:53:22Z',
  '   Registrar: Example Registrar, Inc.',
  '   Domain Status: clientTransferProhibited https://icann.org/epp#clientTransferProhibited',
  '   Name Server: NS1.SITE.XYZ',
  '   DNSSEC: signedDelegation',
  '>>> Last update of whois database: 2024-06-01T00:00:00Z <<<',
);
const ITALIAN = record(
  'Domain:             site.it',
  'Status:             ok',
  'Created:            1998-08-05 00:00:00',
  'Last Update:        2009-07-01 00:02:38',
  'Expire Date:        2010-06-15',
  '',
  'Registrant',
  '  Organization:     Somebody srl',
  '  Created:          2007-03-01 10:28:08',
  '',
  'Registrar',
  '  Organization:     Registratore s.r.l.',
  '',
  'Nameservers',
  '  dns1.site.it',
  '  dns2.site.it',
);
const BELGIAN = record(
  'Domain:\tsite.be',
  'Status:\tNOT AVAILABLE',
  'Registered:\tWed Jan 21 2015',
  '',
  'Registrar:',
  '\tName:\tRegistrar NV',
  '\tWebsite:\thttps://registrar.example',
  '',
  'Nameservers:',
  '\tns1.site.be',
);
const FINNISH = record(
  'domain.............: site.fi',
  'status.............: Registered',
  'created............: 30.6.2006 00:00:00',
  'expires............: 4.7.2030 10:15:55',
  'nserver............: ns1.site.fi [OK]',
);
const RUSSIAN = record(
  'domain:        SITE.RU',
  'nserver:       ns1.site.ru. 192.0.2.1',
  'state:         REGISTERED, DELEGATED, VERIFIED',
  'registrar:     REG-RU',
  'created:       2004-03-03T21:00:00Z',
  'paid-till:     2030-03-04T21:00:00Z',
);
const ESTONIAN = record(
  'Domain:',
  'name:       site.ee',
  'status:     ok (paid and in zone)',
  'registered: 2010-07-04 04:36:33 +03:00',
  '',
  'Registrar:',
  'name:       Registripidaja',
  '',
  'Name servers:',
  'nserver:    ns1.site.ee',
);

describe('a WHOIS record', () => {
  test.each([
    [
      'limpede-check.ro',
      ROMANIAN,
      '2019-05-02T00:00:00.000Z',
      '2031-05-01T00:00:00.000Z',
      'Registrar SRL',
      'update prohibited',
      'ns1.host.ro',
      false,
    ],
    [
      'site.xyz',
      GENERIC,
      '2011-03-25T18:53:22.000Z',
      '2026-03-25T18:53:22.000Z',
      'Example Registrar, Inc.',
      'client transfer prohibited',
      'ns1.site.xyz',
      true,
    ],
    [
      'site.it',
      ITALIAN,
      '1998-08-05T00:00:00.000Z',
      '2010-06-15T00:00:00.000Z',
      'Registratore s.r.l.',
      'ok',
      'dns1.site.it',
      null,
    ],
    [
      'site.be',
      BELGIAN,
      '2015-01-21T00:00:00.000Z',
      null,
      'Registrar NV',
      'not available',
      'ns1.site.be',
      null,
    ],
    [
      'site.fi',
      FINNISH,
      '2006-06-30T00:00:00.000Z',
      '2030-07-04T00:00:00.000Z',
      null,
      'registered',
      'ns1.site.fi',
      null,
    ],
    [
      'site.ru',
      RUSSIAN,
      '2004-03-03T21:00:00.000Z',
      '2030-03-04T21:00:00.000Z',
      'REG-RU',
      'registered, delegated, verified',
      'ns1.site.ru',
      null,
    ],
    [
      'site.ee',
      ESTONIAN,
      '2010-07-04T01:36:33.000Z',
      null,
      'Registripidaja',
      'ok (paid and in zone)',
      'ns1.site.ee',
      null,
    ],
  ])('of %s', (domain, text, registeredAt, expiresAt, registrar, status, server, delegationSigned) => {
    expect(readWhois(text, domain)).toMatchObject({
      found: true,
      registeredAt,
      expiresAt,
      registrar,
      delegationSigned,
    });
    expect(readWhois(text, domain)?.status[0]).toBe(status);
    expect(readWhois(text, domain)?.nameServers[0]).toBe(server);
  });

  test.each([
    'No match for "SITE.XYZ".\r\n>>> Last update of whois database: 2024-01-01T00:00:00Z <<<',
    '% No entries found for the selected source(s).',
    'NOT FOUND',
    '%ERROR:103: Domain is not registered',
    'Domain not found.',
    'The queried object does not exist: no object',
    'Domain: site.xyz\nStatus: free',
    'Domain: site.xyz\nStatus: AVAILABLE',
  ])('%j is an answer: nobody has the name', (text) => {
    expect(readWhois(text, 'site.xyz')).toMatchObject({ found: false, registeredAt: null });
  });

  test.each([
    '',
    '% Access denied: too many queries, please try again later.',
    'The address 192.0.2.1 is not allowed to query. No data is given.',
    '<html><body>503</body></html>',
    'Domain: site.xyz',
    'This name was not found to be offensive.\nDomain: site.xyz\nStatus:',
  ])('%j is no answer', (text) => {
    expect(readWhois(text, 'site.xyz')).toBeUndefined();
  });

  test('a record of another name is no answer', () => {
    expect(readWhois(GENERIC, 'other.xyz')).toBeUndefined();
    expect(readWhois('Domain: com\nNo match', 'site.xyz')).toMatchObject({ found: false });
    expect(readWhois('Domain: other.xyz\nNo match', 'site.xyz')).toBeUndefined();
  });

  test('any text is read without an error', () => {
    const line = fc.oneof(fc.string(), fc.constantFrom(...ROMANIAN.split('\r\n'), ...ESTONIAN.split('\r\n')));
    fc.assert(fc.property(fc.array(line), (lines) => void readWhois(lines.join('\n'), 'site.ee')));
  });
});

test.each([
  ['2000-07-17', '2000-07-17T00:00:00.000Z'],
  ['2002-12-04 00:00:00+02', '2002-12-03T22:00:00.000Z'],
  ['2002-12-04T00:00:00+0200', '2002-12-03T22:00:00.000Z'],
  ['20160810 21:05:03', '2016-08-10T00:00:00.000Z'],
  ['2006.06.12 15:53:14', '2006-06-12T00:00:00.000Z'],
  ['10.03.2008 12:31:19', '2008-03-10T00:00:00.000Z'],
  ['02-Jan-2000', '2000-01-02T00:00:00.000Z'],
  ['Mon Jan 3 10:00:00 UTC 2005', '2005-01-03T00:00:00.000Z'],
  ['09/01/2003', null],
  ['2003-02-31', null],
  ['31.02.2003', null],
  ['before 1996', null],
])('the date %s is %s', (text, date) => {
  expect(whoisDate(text)).toBe(date);
});
