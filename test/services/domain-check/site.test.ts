import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lookupNames, readSite } from '../../../src/services/domain-check/site.ts';

describe('readSite', () => {
  test.each([
    ['https://www.Example.COM/path?q=1#x', 'www.example.com', 'example.com', 'com', 'icann', ''],
    ['news.bbc.co.uk', 'news.bbc.co.uk', 'bbc.co.uk', 'co.uk', 'icann', 'news'],
    [
      'http://blog.someone.blogspot.com./',
      'blog.someone.blogspot.com',
      'someone.blogspot.com',
      'blogspot.com',
      'private',
      'blog',
    ],
    ['digi24.ro', 'digi24.ro', 'digi24.ro', 'ro', 'icann', ''],
    ['site.unlistedsuffix', 'site.unlistedsuffix', 'site.unlistedsuffix', 'unlistedsuffix', 'unlisted', ''],
    ['example.com', 'example.com', 'example.com', 'com', 'icann', ''],
    ['http://user:secret@example.org/', 'example.org', 'example.org', 'org', 'icann', ''],
  ])('%s', (input, host, domain, suffix, suffixKind, subdomain) => {
    expect(readSite(input)).toMatchObject({ host, domain, suffix, suffixKind, subdomain, tlsPort: 443 });
  });

  test('gives international names in both forms', () => {
    expect(readSite('https://bücher.de/')).toMatchObject({
      domain: 'xn--bcher-kva.de',
      domainUnicode: 'bücher.de',
      label: 'xn--bcher-kva',
      labelUnicode: 'bücher',
    });
  });

  test('still reads international names after thousands of them', () => {
    const unread = Array.from({ length: 20_000 }, () => readSite('bücher.de')).filter(
      (site) => site === undefined,
    );
    expect(unread).toEqual([]);
  });

  test.each([
    ['http://127.0.0.1:8080/x', '127.0.0.1', 'ip_address'],
    ['http://0x7f000001/', '127.0.0.1', 'ip_address'],
    ['http://[::1]/', '::1', 'ip_address'],
    ['localhost', 'localhost', 'single_label'],
    ['http://-/', '-', 'single_label'],
    ['http://intranet/', 'intranet', 'single_label'],
    ['printer.local', 'printer.local', 'special_use_name'],
    ['site.test', 'site.test', 'special_use_name'],
    ['hidden.onion', 'hidden.onion', 'special_use_name'],
    ['co.uk', 'co.uk', 'public_suffix'],
    ['github.io', 'github.io', 'public_suffix'],
  ])('%s has no registrable name', (input, host, reason) => {
    expect(readSite(input)).toEqual({ host, reason });
  });

  test.each([
    '',
    ' ',
    'not a domain',
    'ftp://example.com',
    'javascript:alert(1)',
    'a..com',
    'http://',
    'x/y',
    '@',
    `${'a'.repeat(64)}.com`,
  ])('%j is no address', (input) => {
    expect(readSite(input)).toBeUndefined();
  });

  test('keeps the port of an https address only', () => {
    expect(readSite('https://example.com:8443/')).toMatchObject({ tlsPort: 8443 });
    expect(readSite('http://example.com:8080/')).toMatchObject({ tlsPort: 443 });
  });

  test('never throws, and a site always ends in its registrable name', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.webUrl(), fc.domain(), fc.string({ unit: 'grapheme' })),
        (input) => {
          const site = readSite(input);
          if (site === undefined || !('domain' in site)) return;
          expect(site.host === site.domain || site.host.endsWith(`.${site.domain}`)).toBe(true);
          expect(`${site.label}.${site.suffix}`).toBe(site.domain);
          expect(readSite(site.domain)).toMatchObject({ domain: site.domain });
        },
      ),
    );
  });
});

test.each([
  ['a.b.example.com', ['a.b.example.com', 'b.example.com', 'example.com']],
  ['www.example.com', ['example.com']],
  ['example.com', ['example.com']],
  ['x.someone.blogspot.com', ['x.someone.blogspot.com', 'someone.blogspot.com']],
])('names to look up for %s', (host, names) => {
  const site = readSite(host);
  if (site === undefined || !('domain' in site)) throw new Error('expected a site');
  expect(lookupNames(site)).toEqual(names);
});
