import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/foundation/http/web-address.ts';

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
