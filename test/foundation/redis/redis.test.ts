import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { createSharedCache } from '../../../src/foundation/cache.ts';
import { createSharedRateLimiter } from '../../../src/foundation/redis/rate-limiter.ts';
import { connectRedis, type RedisConnection } from '../../../src/foundation/redis/redis.ts';
import { silent } from '../database/engines.ts';
import { describeRedis, openGate, openTestRedis, ready } from './server.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  // The last first: a connection removes its keys through the gate that was opened before it.
  for (const each of opened.splice(0).reverse()) await each.close();
});
async function open(url?: string, prefix?: string): Promise<RedisConnection> {
  const redis = await openTestRedis(url, prefix);
  opened.push(redis);
  return redis;
}
const signal = new AbortController().signal;

describeRedis('a connection to Redis', () => {
  it('is shared: what one process takes and keeps, the other lacks and has', async () => {
    const one = await open();
    const two = await open(undefined, one.prefix);
    const limit = { name: 'shared', perSecond: 0.001, burst: 4 };
    const limiters = [createSharedRateLimiter(one, limit), createSharedRateLimiter(two, limit)];
    const grants = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => limiters[turn % 2]?.take('ana')),
    );
    expect(grants.filter((grant) => grant?.allowed)).toHaveLength(4);
    await createSharedCache(one, 'c').set('key', 'value', 60_000);
    expect(await createSharedCache(two, 'c').get('key')).toBe('value');
    expect(await createSharedCache(two, 'other').get('key')).toBeUndefined();
  });

  it('forgets buckets that are full again', async () => {
    const redis = await open();
    await createSharedRateLimiter(redis, { name: 'l', perSecond: 10, burst: 20 }).take('ana', 20);
    const [key = ''] = await redis.client.keys(`${redis.prefix}:*`);
    const left = await redis.client.pttl(key);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(3000);
  });

  it('that is lost refuses nobody, is told by its probe, and heals by itself', async () => {
    const gate = await openGate();
    opened.push({ close: () => gate.close().catch(() => undefined) });
    const log = { warn: vi.spyOn(silent, 'warn'), info: vi.spyOn(silent, 'info') };
    const redis = await open(gate.url);
    const limiter = createSharedRateLimiter(redis, { name: 'l', perSecond: 0.001, burst: 2 });
    const cache = createSharedCache(redis, 'c');
    await cache.set('key', 'value', 60_000);
    await limiter.take('ana', 2);
    expect((await limiter.take('ana')).allowed).toBe(false);

    const lost = new Promise((resolve) => redis.client.once('close', resolve));
    await gate.close();
    await lost;
    await expect(redis.probe(signal)).rejects.toThrow('no connection to Redis');
    expect(await cache.get('key')).toBeUndefined();
    await cache.set('other', 'value', 60_000);
    await cache.delete('key');
    // Each process counts alone meanwhile, and still counts.
    const alone = [await limiter.take('ana'), await limiter.take('ana'), await limiter.take('ana')];
    expect(alone.map(({ allowed }) => allowed)).toEqual([true, true, false]);

    await gate.reopen();
    await ready(redis);
    await redis.probe(signal);
    expect(await cache.get('key')).toBe('value');
    expect((await limiter.take('ana')).allowed).toBe(false);
    expect(log.warn).toHaveBeenCalledTimes(1);
    expect(log.info).toHaveBeenCalledTimes(1);
    vi.restoreAllMocks();
  });

  it('runs its script on a server that has forgotten it', async () => {
    const redis = await open();
    const limiter = createSharedRateLimiter(redis, { name: 'l', perSecond: 0.001, burst: 2 });
    await limiter.take('ana');
    await redis.client.script('FLUSH');
    expect(await limiter.take('ana')).toMatchObject({ allowed: true, remaining: 0 });
    expect((await limiter.take('ana')).allowed).toBe(false);
  });
});

it('nobody waits for a Redis that is not there', async () => {
  const redis = connectRedis('redis://127.0.0.1:1', 'x', silent);
  opened.push(redis);
  expect(await createSharedCache(redis, 'c').get('key')).toBeUndefined();
  expect(
    (await createSharedRateLimiter(redis, { name: 'l', perSecond: 1, burst: 1 }).take('ana')).allowed,
  ).toBe(true);
  await expect(redis.probe(signal)).rejects.toThrow('no connection to Redis');
});

it('a connection to a Redis that answers late once is not told as lost', async () => {
  const late = 400;
  let pings = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      // Each command is an array of strings (RESP); those of the client's greeting may come together.
      for (const [, command] of bytes.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        const isPing = command?.toLowerCase() === 'ping';
        if (isPing) pings += 1;
        const reply = () => socket.write(isPing ? '+PONG\r\n' : '$13\r\nredis_version\r\n');
        setTimeout(reply, isPing && pings === 1 ? late : 0);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const redis = connectRedis(`redis://127.0.0.1:${port}`, 'late', silent);
  opened.push({ close: async () => void server.close() }, redis);
  await ready(redis);
  await redis.probe(signal);
  expect(pings).toBeGreaterThan(1);
});
