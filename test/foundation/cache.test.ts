import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cache, createMemoryCache, createSharedCache } from '../../src/foundation/cache.ts';
import type { RedisConnection } from '../../src/foundation/redis/redis.ts';
import { describeRedis, openTestRedis } from './redis/server.ts';

/** Every adapter of the port passes the same tests. */
function suite(cache: () => Cache): void {
  it('keeps values by key until they are replaced or deleted', async () => {
    expect(await cache().get('a')).toBeUndefined();
    await cache().set('a', 'ț 🙂', 60_000);
    await cache().set('b', '', 60_000);
    expect([await cache().get('a'), await cache().get('b')]).toEqual(['ț 🙂', '']);
    await cache().set('a', 'other', 60_000);
    expect(await cache().get('a')).toBe('other');
    await cache().delete('a');
    await cache().delete('a');
    expect(await cache().get('a')).toBeUndefined();
  });

  it('forgets a value when its time is over', async () => {
    await cache().set('short', 'x', 30);
    await expect.poll(() => cache().get('short'), { timeout: 5000 }).toBeUndefined();
  });

  it('works, and says so', async () => {
    await cache().probe(new AbortController().signal);
  });
}

describe('the cache in memory', () => {
  const cache = createMemoryCache(1000);
  suite(() => cache);

  it('holds so many characters and no more', async () => {
    for (let turn = 0; turn < 20; turn++) await cache.set(`key${turn}`, 'x'.repeat(95), 60_000);
    expect(await cache.get('key0')).toBeUndefined();
    expect(await cache.get('key19')).toBe('x'.repeat(95));
    await cache.set('huge', 'x'.repeat(2000), 60_000);
    expect(await cache.get('huge')).toBeUndefined();
  });
});

describeRedis('the cache in Redis', () => {
  let redis: RedisConnection;
  beforeAll(async () => {
    redis = await openTestRedis();
  });
  afterAll(() => redis.close());
  suite(() => createSharedCache(redis, 'test'));
});
