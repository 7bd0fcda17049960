import { describe, expect, it } from 'vitest';
import { isOnSite, pageKey } from '../../../../src/services/web/search/canonical-url.ts';

describe('addresses', () => {
  it.each([
    ['https://a.example/x?b=2&a=1', 'http://www.a.example:80/x/?a=1&b=2&utm_source=y#z'],
    ['https://a.example/x', 'https://amp.a.example/x/amp/'],
    ['https://a.example/', 'https://m.a.example/index.html'],
    ['https://știri.example/x', 'https://xn--tiri-pxb.example/x'],
  ])('%s and %s are one page', (one, other) => {
    expect(pageKey(one)).toBe(pageKey(other));
  });

  it.each([
    ['https://a.example/x?id=1', 'https://a.example/x?id=2'],
    ['https://a.example/x', 'https://a.example/X'],
    ['https://a.example:8443/x', 'https://a.example/x'],
  ])('%s and %s are two', (one, other) => {
    expect(pageKey(one)).not.toBe(pageKey(other));
  });

  it.each<[string, string, boolean]>([
    ['https://news.a.example/x', 'a.example', true],
    ['https://nota.example/', 'a.example', false],
    ['https://a.example.evil.example/', 'a.example', false],
    ['https://a.example/', 'https://www.a.example/path', true],
    ['https://a.example/', '', false],
    ['not an address', 'a.example', false],
  ])('%s lies on %s: %s', (url, site, expected) => {
    expect(isOnSite(url, [site])).toBe(expected);
  });
});
