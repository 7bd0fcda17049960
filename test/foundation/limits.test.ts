import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createMemoryRateLimiter,
  limitHeaders,
  type RateDecision,
  type RateLimiter,
} from '../../src/foundation/limits.ts';
import { createSharedRateLimiter } from '../../src/foundation/redis/rate-limiter.ts';
import type { RedisConnection } from '../../src/foundation/redis/redis.ts';
import { runs } from '../campaign.ts';
import { describeRedis, openTestRedis } from './redis/server.ts';

/** Opens a limiter of its own on a clock in milliseconds. */
type Open = (perSecond: number, burst: number, now: () => number) => Promise<RateLimiter>;

/** Every adapter of the port passes the same tests. */
const adapters: Array<[name: string, open: Open]> = [
  ['memory', async (perSecond, burst, now) => createMemoryRateLimiter({ perSecond, burst }, now)],
];

describe.each(adapters)('the rate limiter in %s', (_name, open) => {
  it('grants a burst, then the rate, for each key apart', async () => {
    let now = 0;
    const limiter = await open(2, 3, () => now);
    const remaining: number[] = [];
    for (let turn = 0; turn < 3; turn++) remaining.push((await limiter.take('a')).remaining);
    expect(remaining).toEqual([2, 1, 0]);
    expect(await limiter.take('a')).toEqual({
      allowed: false,
      limit: 3,
      remaining: 0,
      retryAfterMs: 500,
      resetMs: 1500,
    });
    expect((await limiter.take('b')).allowed).toBe(true);
    now = 499;
    expect((await limiter.take('a')).allowed).toBe(false);
    now = 500;
    expect((await limiter.take('a')).allowed).toBe(true);
    now = 1_000_000;
    expect(await limiter.take('a')).toMatchObject({ remaining: 2, resetMs: 500 });
  });

  it('takes a cost whole or not at all', async () => {
    let now = 0;
    const limiter = await open(1, 5, () => now);
    expect(await limiter.take('a', 3)).toMatchObject({ allowed: true, remaining: 2 });
    expect(await limiter.take('a', 3)).toMatchObject({ allowed: false, remaining: 2, retryAfterMs: 1000 });
    expect(await limiter.take('a', 2)).toMatchObject({ allowed: true, remaining: 0 });
    now = 5000;
    expect(await limiter.take('a', 100)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('is full again when refilled', async () => {
    const limiter = await open(1, 1, () => 0);
    await limiter.take('a');
    expect((await limiter.take('a')).allowed).toBe(false);
    await limiter.refill('a');
    expect((await limiter.take('a')).allowed).toBe(true);
  });

  it('grants requests at the same moment no more than the burst', async () => {
    const limiter = await open(1, 4, () => 0);
    const grants = await Promise.all(Array.from({ length: 20 }, () => limiter.take('a')));
    expect(grants.filter(({ allowed }) => allowed)).toHaveLength(4);
  });

  const step = fc.record({ after: fc.integer({ min: 0, max: 3000 }), key: fc.constantFrom('a', 'b') });

  it('never grants more than the burst and the rate together, over any stretch of time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(step, { minLength: 1, maxLength: 200 }),
        async (perSecond, burst, steps) => {
          let now = 0;
          const limiter = await open(perSecond, burst, () => now);
          const granted: Record<string, number[]> = { a: [], b: [] };
          for (const { after, key } of steps) {
            now += after;
            const grant: RateDecision = await limiter.take(key);
            if (grant.allowed) granted[key]?.push(now);
            expect(grant.remaining).toBeGreaterThanOrEqual(0);
            expect(grant.remaining).toBeLessThanOrEqual(burst);
            expect(grant.retryAfterMs > 0).toBe(!grant.allowed);
          }
          for (const times of Object.values(granted))
            times.forEach((from, first) => {
              times.slice(first).forEach((to, count) => {
                expect(count + 1).toBeLessThanOrEqual(burst + ((to - from) / 1000) * perSecond + 1e-6);
              });
            });
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('grants again as soon as it said it would', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        fc.integer({ min: 1, max: 5 }),
        async (perSecond, burst) => {
          let now = 0;
          const limiter = await open(perSecond, burst, () => now);
          for (let taken = 0; taken < burst; taken++) await limiter.take('a');
          now += (await limiter.take('a')).retryAfterMs;
          expect((await limiter.take('a')).allowed).toBe(true);
        },
      ),
    );
  });
});

/** What holds without a clock of the test's own: in Redis time is that of the server. */
function clocklessSuite(open: (perSecond: number, burst: number) => RateLimiter): void {
  it('grants a burst, for each key apart', async () => {
    const limiter = open(0.001, 3);
    const remaining: number[] = [];
    for (let turn = 0; turn < 3; turn++) remaining.push((await limiter.take('a')).remaining);
    expect(remaining).toEqual([2, 1, 0]);
    const refused = await limiter.take('a');
    expect(refused).toMatchObject({ allowed: false, limit: 3, remaining: 0 });
    expect(refused.retryAfterMs).toBeGreaterThan(900_000);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(1_000_000);
    expect(refused.resetMs).toBeLessThanOrEqual(3_000_000);
    expect((await limiter.take('b')).allowed).toBe(true);
  });

  it('takes a cost whole or not at all, one above the limit as the limit', async () => {
    const limiter = open(0.001, 5);
    expect(await limiter.take('a', 3)).toMatchObject({ allowed: true, remaining: 2, retryAfterMs: 0 });
    expect(await limiter.take('a', 3)).toMatchObject({ allowed: false, remaining: 2 });
    expect(await limiter.take('a', 2)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.take('b', 100)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('is full again when refilled', async () => {
    const limiter = open(0.001, 1);
    await limiter.take('a');
    expect((await limiter.take('a')).allowed).toBe(false);
    await limiter.refill('a');
    expect((await limiter.take('a')).allowed).toBe(true);
  });

  it('grants again after the time that it said', async () => {
    const limiter = open(20, 1);
    await limiter.take('a');
    const { allowed, retryAfterMs } = await limiter.take('a');
    if (!allowed) await new Promise((resolve) => setTimeout(resolve, retryAfterMs + 1));
    expect((await limiter.take('a')).allowed).toBe(true);
  });
}

describe('the limiter in memory on the clock of the process', () => {
  clocklessSuite((perSecond, burst) => createMemoryRateLimiter({ perSecond, burst }));
});

describeRedis('the limiter in Redis', () => {
  let redis: RedisConnection;
  let count = 0;
  beforeAll(async () => {
    redis = await openTestRedis();
  });
  afterAll(() => redis.close());
  clocklessSuite((perSecond, burst) =>
    createSharedRateLimiter(redis, { name: String(count++), perSecond, burst }),
  );
});

describe('the limiter in memory', () => {
  it('answers at once, from the same buckets', async () => {
    const limiter = createMemoryRateLimiter({ perSecond: 1, burst: 2 }, () => 0);
    expect(limiter.takeNow('a')).toMatchObject({ allowed: true, remaining: 1 });
    expect(await limiter.take('a')).toMatchObject({ allowed: true, remaining: 0 });
    expect(limiter.takeNow('a').allowed).toBe(false);
  });
});

describe('a grant', () => {
  it('is told in headers, in whole seconds rounded up', () => {
    const { takeNow } = createMemoryRateLimiter({ perSecond: 0.4, burst: 1 }, () => 0);
    expect(limitHeaders(takeNow('a'))).toEqual({
      'RateLimit-Limit': '1',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '3',
    });
    expect(limitHeaders(takeNow('a'))['Retry-After']).toBe('3');
  });
});
