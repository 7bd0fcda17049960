import { describe, expect, it } from 'vitest';
import { parseAddress, siteOf } from '../../../src/foundation/http/web-address.ts';

describe('parseAddress', () => {
  it('reads addresses, relative ones against a base, and refuses what is none', () => {
    expect(parseAddress('https://example.org/a')?.pathname).toBe('/a');
    expect(parseAddress('b', 'https://example.org/a/')?.href).toBe('https://example.org/a/b');
    for (const text of ['', 'example.org', 'http://', 'https://[::1', '//x'])
      expect(parseAddress(text)).toBeUndefined();
  });

  it('reads names outside ASCII however often it is asked', () => {
    const unread = Array.from({ length: 20_000 }, () => parseAddress('https://bücher.de/')).filter(
      (url) => url === undefined,
    );
    expect(unread).toHaveLength(0);
  });
});

it.each([
  ['https://www.bbc.co.uk/news/1', 'bbc.co.uk'],
  ['https://somebody.github.io/page', 'somebody.github.io'],
  ['http://127.0.0.1:8080/page', '127.0.0.1'],
  ['https://știri.ro/x', 'xn--tiri-pxb.ro'],
  ['https://www.bücher.de/', 'xn--bcher-kva.de'],
])('the site of %s is %s', (url, site) => {
  expect(siteOf(url)).toBe(site);
});
