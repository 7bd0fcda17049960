import { describe, expect, it } from 'vitest';
import { checkAddress, checkResolved } from '../../../src/foundation/http/address-guard.ts';
import { parseAllowList } from '../../../src/foundation/http/allow-list.ts';

const nothing = parseAllowList([]);

/** Ordinary addresses that people send: none of them may be refused before it is resolved. */
const ADDRESSES = [
  'https://www.bbc.co.uk/news/world-europe-67890123',
  'https://www.digi24.ro/stiri/actualitate/politica/articol-123',
  'https://hotnews.ro/ce-spune-guvernul-1234567',
  'http://www.gov.ro/ro/stiri',
  'https://www.mae.ro:443/node/1',
  'http://example.org:80/a?b=c&d=%20e#f',
  'https://en.wikipedia.org/wiki/Localhost',
  'https://ro.wikipedia.org/wiki/Șoareci',
  'https://xn--romnia-hwa.ro/',
  'https://bücher.example/',
  'https://пример.рф/новости',
  'https://localhost.run/docs',
  'https://metadata.org/',
  'https://internal.example.com/',
  'https://private-news.example.net/',
  'https://127.news/',
  'https://10.ro/',
  'https://192-168-1-1.blog.example/',
  'https://a.b.c.d.e.f.example.com/',
  'https://news.example.com./final-dot',
  'https://t.co/abc',
  'https://8.8.8.8/',
  'http://1.1.1.1/',
  'https://[2606:4700:4700::1111]/',
  'https://[2a00:1450:400d:80c::200e]/',
  'https://example.com/redirect?to=http://127.0.0.1/',
  'https://example.com/@user/post',
  `https://example.com/${'a'.repeat(2000)}`,
];

/** Addresses of well-known networks, next to reserved ones. */
const RESOLVED = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.1',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.1',
  '104.16.132.229',
  '126.255.255.255',
  '128.0.0.1',
  '151.101.0.81',
  '169.253.255.255',
  '169.255.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.0.1.1',
  '192.167.255.255',
  '192.169.0.1',
  '198.17.255.255',
  '198.20.0.1',
  '223.255.255.254',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a02:2f00::1',
  '2400:cb00::1',
];

describe('public hosts', () => {
  it.each(ADDRESSES)('%s may be asked for', (address) => {
    expect(() => checkAddress(address, nothing)).not.toThrow();
  });

  it.each(RESOLVED)('a name that resolves to %s may be reached', (address) => {
    for (const port of [80, 443])
      expect(() => checkResolved('news.example', address, port, nothing)).not.toThrow();
  });
});
