import { describe, expect, it } from 'vitest';
import { createTokenBuckets, limitHeaders } from '../../src/foundation/limits.ts';

describe('token buckets', () => {
  it('grant a burst, then the rate, for each key apart', () => {
    let now = 0;
    const take = createTokenBuckets(2, 3, () => now);
    expect([1, 2, 3].map(() => take('a').remaining)).toEqual([2, 1, 0]);
    expect(take('a')).toEqual({ allowed: false, limit: 3, remaining: 0, retryAfterMs: 500, resetMs: 1500 });
    expect(take('b').allowed).toBe(true);
    now = 499;
    expect(take('a').allowed).toBe(false);
    now = 500;
    expect(take('a').allowed).toBe(true);
    now = 1_000_000;
    expect(take('a')).toMatchObject({ remaining: 2, resetMs: 500 });
  });

  it('are full again when refilled', () => {
    const take = createTokenBuckets(1, 1, () => 0);
    take('a');
    expect(take('a').allowed).toBe(false);
    take.refill('a');
    expect(take('a').allowed).toBe(true);
  });

  it('are told in headers, in whole seconds rounded up', () => {
    const take = createTokenBuckets(0.4, 1, () => 0);
    expect(limitHeaders(take('a'))).toEqual({
      'RateLimit-Limit': '1',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '3',
    });
    expect(limitHeaders(take('a'))['Retry-After']).toBe('3');
  });
});
