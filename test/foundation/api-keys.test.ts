import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createApiKey, hashApiKey, isApiKey } from '../../src/foundation/api-keys.ts';

describe('an API key', () => {
  it('has the prefix, 256 random bits and a checksum', () => {
    const { key, prefix } = createApiKey();
    expect(key).toMatch(/^lmp_ext_[\w-]{49}$/);
    expect(key.startsWith(prefix)).toBe(true);
    expect(prefix).toHaveLength(12);
    expect(isApiKey(key)).toBe(true);
    expect(new Set(Array.from({ length: 100 }, () => createApiKey().key)).size).toBe(100);
  });

  it('is told from one with any other character in it', () => {
    const { key } = createApiKey();
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom('a', 'Z', '0', '-', '_', ' ', 'é'), (at, other) => {
        fc.pre(key[at] !== other);
        expect(isApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
      }),
    );
    for (const text of ['', 'lmp_ext_', key.slice(1), `${key}a`, `${key}\n`, ` ${key}`])
      expect(isApiKey(text)).toBe(false);
  });

  it('is kept by its SHA-256', () => {
    expect(hashApiKey('lmp_ext_x')).toBe(createHash('sha256').update('lmp_ext_x').digest('hex'));
  });
});
