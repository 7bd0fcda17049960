import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAddress, checkRedirect, checkResolved } from '../../../src/foundation/http/address-guard.ts';
import { isMetadataHost, isPublicAddress } from '../../../src/foundation/http/addresses.ts';
import { parseAllowList } from '../../../src/foundation/http/allow-list.ts';
import { codePoint } from '../../code-points.ts';

const nothing = parseAllowList([]);
const reasonFor = (work: () => unknown) => {
  try {
    work();
    return 'allowed';
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error);
  }
};

describe('addresses that somebody else wrote', () => {
  const refused = [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://0x7f.0.0.0x1/',
    'http://１２７.０.０.１/',
    'http://①②⑦.0.0.1/',
    'http://0.0.0.0/',
    'http://0/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://192.0.0.1/',
    'http://192.0.2.1/',
    'http://198.18.0.1/',
    'http://198.51.100.1/',
    'http://203.0.113.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001::1]/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    'http://[5f00::1]/',
    'http://[100::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://metadata.google.internal/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://news.localhost/',
    'http://METADATA.google.internal./computeMetadata/v1/',
    'http://metadata/',
    'http://user@example.org/',
    'http://user:secret@example.org/',
    'http://example.org:22/',
    'http://example.org:8080/',
    'https://example.org:6379/',
    'ftp://example.org/',
    'file:///etc/passwd',
    'gopher://example.org/',
    'data:text/html,hello',
    'javascript:alert(1)',
    'blob:https://example.org/1',
    'ws://example.org/',
    '//example.org/',
    '/etc/passwd',
    'example.org',
    '',
    'http://',
    'http://exa mple.org/',
    'http://a..b/',
    'http://a../',
    'http://.a/',
    'http://a!b.example/',
    'http://*.example/',
    `http://${'a'.repeat(64)}.example/`,
    `http://${'a'.repeat(300)}/`,
    `http://${'a.'.repeat(130)}example/`,
    'http://[fe80::1%25eth0]/',
    `http://example.org/${'a'.repeat(9000)}`,
  ];
  it.each(refused)('refuses %s', (address) => {
    expect(reasonFor(() => checkAddress(address, nothing))).toBe('url_not_allowed');
  });

  const allowed = [
    ['http://example.org', 'http://example.org/'],
    ['HTTPS://EXAMPLE.org:443/a?b#c', 'https://example.org/a?b#c'],
    ['http://example.org:80/', 'http://example.org/'],
    ['https://example.org:80/', 'https://example.org:80/'],
    ['https://știri.example/', 'https://xn--tiri-pxb.example/'],
    ['http://8.8.8.8/', 'http://8.8.8.8/'],
    ['http://[2606:4700:4700::1111]/', 'http://[2606:4700:4700::1111]/'],
    ['http://192.0.1.1/', 'http://192.0.1.1/'],
    ['http://-/', 'http://-/'],
    ['http://-a-.b_c.example./', 'http://-a-.b_c.example./'],
    [`http://${'a'.repeat(63)}.example/`, `http://${'a'.repeat(63)}.example/`],
  ] as const;
  it.each(allowed)('tries %s', (address, parsed) => {
    expect(checkAddress(address, nothing).href).toBe(parsed);
  });

  it('never throws anything but a refusal, whatever it is given', () => {
    const odd = fc.oneof(fc.string({ unit: codePoint }), fc.webUrl(), fc.ipV4Extended(), fc.ipV6());
    fc.assert(
      fc.property(odd, (address) => {
        expect(['allowed', 'url_not_allowed']).toContain(reasonFor(() => checkAddress(address, nothing)));
      }),
    );
  });

  it('takes no private IPv4 address for a public one, in any of its IPv6 disguises', () => {
    const byte = fc.nat(255);
    const local = fc.oneof(
      fc.tuple(fc.constant(10), byte, byte, byte),
      fc.tuple(fc.constant(127), byte, byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
    );
    fc.assert(
      fc.property(local, ([a, b, c, d]) => {
        const hex = [a * 256 + b, c * 256 + d].map((part) => part.toString(16)).join(':');
        const spellings = [`::ffff:${hex}`, `::${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`];
        for (const spelling of [`${a}.${b}.${c}.${d}`, ...spellings])
          expect(isPublicAddress(spelling)).toBe(false);
      }),
    );
  });
});

describe('resolved addresses', () => {
  it('are judged one by one', () => {
    expect(reasonFor(() => checkResolved('example.org', '93.184.215.14', 443, nothing))).toBe('allowed');
    expect(reasonFor(() => checkResolved('example.org', '10.0.0.1', 443, nothing))).toBe('url_not_allowed');
    expect(reasonFor(() => checkResolved('example.org', 'no address', 443, nothing))).toBe('url_not_allowed');
    expect(reasonFor(() => checkResolved('example.org', 'fe80::1%eth0', 443, nothing))).toBe(
      'url_not_allowed',
    );
  });
});

describe('the allow-list', () => {
  const cases: Array<[entries: string[], address: string, outcome: string]> = [
    [['127.0.0.1:8099'], 'http://127.0.0.1:8099/', 'allowed'],
    [['127.0.0.1:8099'], 'http://0x7f000001:8099/', 'allowed'],
    [['127.0.0.1:8099'], 'http://[::ffff:127.0.0.1]:8099/', 'allowed'],
    [['127.0.0.1:8099'], 'http://127.0.0.1:8098/', 'url_not_allowed'],
    [['127.0.0.1:8099'], 'http://127.0.0.1/', 'url_not_allowed'],
    [['127.0.0.1'], 'http://127.0.0.1:1234/', 'allowed'],
    [['127.0.0.0/8'], 'http://127.9.9.9:1234/', 'allowed'],
    [['127.0.0.0/8'], 'http://10.0.0.1:1234/', 'url_not_allowed'],
    [['[::1]:8080'], 'http://[::1]:8080/', 'allowed'],
    [['[::1]:8080'], 'http://[::1]:8081/', 'url_not_allowed'],
    [['::1'], 'http://[::1]:8081/', 'allowed'],
    [['fd00::/8'], 'http://[fd12::1]/', 'allowed'],
    [['wiki.intranet:8080'], 'http://wiki.intranet:8080/', 'allowed'],
    [['Wiki.Intranet'], 'http://wiki.intranet.:9999/', 'allowed'],
    [['wiki.intranet:8080'], 'http://other.intranet:8080/', 'url_not_allowed'],
    [['169.254.0.0/16', '169.254.169.254'], 'http://169.254.169.254/', 'url_not_allowed'],
    [['metadata.google.internal'], 'http://metadata.google.internal/', 'url_not_allowed'],
    [['0.0.0.0/0'], 'ftp://127.0.0.1/', 'url_not_allowed'],
  ];
  it.each(cases)('%j: %s is %s', (entries, address, outcome) => {
    expect(reasonFor(() => checkAddress(address, parseAllowList(entries)))).toBe(outcome);
  });

  it('lets a range decide about a name only once the name is resolved', () => {
    const allow = parseAllowList(['10.0.0.0/8']);
    expect(reasonFor(() => checkAddress('http://wiki.intranet:8080/', allow))).toBe('allowed');
    expect(reasonFor(() => checkResolved('wiki.intranet', '10.1.2.3', 8080, allow))).toBe('allowed');
    expect(reasonFor(() => checkResolved('wiki.intranet', '192.168.0.1', 8080, allow))).toBe(
      'url_not_allowed',
    );
    expect(reasonFor(() => checkResolved('wiki.intranet', '8.8.8.8', 8080, allow))).toBe('url_not_allowed');
  });

  it.each([
    '',
    'a b',
    'host:99999',
    'host:0',
    'http://host/',
    'user@host',
    '10.0.0.0/99',
    '[::1',
    'host/path',
  ])('does not start with the entry "%s"', (entry) => {
    expect(() => parseAllowList([entry])).toThrow('is none of');
  });

  it('knows the hosts that hand out credentials', () => {
    expect(isMetadataHost('169.254.169.254')).toBe(true);
    expect(isMetadataHost('::ffff:169.254.169.254')).toBe(true);
    expect(isMetadataHost('fd00:ec2:0::254')).toBe(true);
    expect(isMetadataHost('example.org')).toBe(false);
  });
});

describe('redirects', () => {
  const cases: Array<[from: string, location: string, outcome: string]> = [
    ['https://example.org/a', '/b', 'https://example.org/b'],
    ['http://example.org/a', 'https://example.org/a', 'https://example.org/a'],
    ['http://example.org/a/b', '../c', 'http://example.org/c'],
    ['https://example.org/', '//example.net/x', 'https://example.net/x'],
    ['https://example.org/', 'http://example.org/', 'url_not_allowed'],
    ['http://example.org/', 'http://127.0.0.1/', 'url_not_allowed'],
    ['http://example.org/', 'http://169.254.169.254/', 'url_not_allowed'],
    ['http://example.org/', 'file:///etc/passwd', 'url_not_allowed'],
    ['http://example.org/', 'http://user:pass@example.net/', 'url_not_allowed'],
    ['http://example.org/', 'http://', 'url_not_allowed'],
    ['http://example.org/', 'http://example.org:22/', 'url_not_allowed'],
  ];
  it.each(cases)('from %s to %s: %s', (from, location, outcome) => {
    let result: string;
    try {
      result = checkRedirect(new URL(from), location, nothing).href;
    } catch (error) {
      result = (error as { reason: string }).reason;
    }
    expect(result).toBe(outcome);
  });
});
