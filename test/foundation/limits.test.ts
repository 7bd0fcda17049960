import fc from 'fast-check';
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

describe('over any stretch of time', () => {
  const step = fc.record({ after: fc.integer({ min: 0, max: 3000 }), key: fc.constantFrom('a', 'b') });

  it('never grant more than the burst and the rate together', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(step, { minLength: 1, maxLength: 200 }),
        (rate, burst, steps) => {
          let now = 0;
          const take = createTokenBuckets(rate, burst, () => now);
          const granted: Record<string, number[]> = { a: [], b: [] };
          for (const { after, key } of steps) {
            now += after;
            const grant = take(key);
            if (grant.allowed) granted[key]?.push(now);
            expect(grant.remaining).toBeGreaterThanOrEqual(0);
            expect(grant.remaining).toBeLessThanOrEqual(burst);
            expect(grant.retryAfterMs > 0).toBe(!grant.allowed);
          }
          for (const times of Object.values(granted))
            times.forEach((from, first) => {
              times.slice(first).forEach((to, count) => {
                expect(count + 1).toBeLessThanOrEqual(burst + ((to - from) / 1000) * rate + 1e-6);
              });
            });
        },
      ),
      { numRuns: 60 },
    );
  });

  it('grant again as soon as they said they would', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        fc.integer({ min: 1, max: 5 }),
        (rate, burst) => {
          let now = 0;
          const take = createTokenBuckets(rate, burst, () => now);
          for (let taken = 0; taken < burst; taken++) take('a');
          const { retryAfterMs } = take('a');
          now += retryAfterMs;
          expect(take('a').allowed).toBe(true);
        },
      ),
    );
  });
});
