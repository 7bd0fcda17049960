import { LRUCache } from 'lru-cache';
import type { Probeable } from './health.ts';
import type { RedisConnection } from './redis/redis.ts';

/**
 * Temporary copies of texts that can be fetched again. A cache never throws: what it cannot read counts as absent,
 * and what it cannot store is dropped.
 */
export interface Cache extends Probeable {
  /** The value of a key, or undefined. */
  get(key: string): Promise<string | undefined>;
  /** Keeps a value for so many milliseconds at most. */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/** How large a cache in memory may become: characters of keys and values. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;

/** A cache in this process; the least recently used values are forgotten first. */
export function createMemoryCache(characters = KEPT_CHARACTERS): Cache {
  const values = new LRUCache<string, string>({
    maxSize: characters,
    sizeCalculation: (value, key) => Math.max(1, key.length + value.length),
  });
  return {
    probe: async () => undefined,
    get: async (key) => values.get(key),
    set: async (key, value, ttlMs) => void values.set(key, value, { ttl: ttlMs }),
    delete: async (key) => void values.delete(key),
  };
}

/** A cache in Redis, shared by all processes. While Redis is lost it is empty and keeps nothing. */
export function createSharedCache({ client, prefix, probe }: RedisConnection, name: string): Cache {
  const keyOf = (key: string) => `${prefix}:cache:${name}:${key}`;
  const trying = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    if (client.status !== 'ready') return undefined;
    // The connection logs its own loss, once.
    return work().catch(() => undefined);
  };
  return {
    probe,
    get: async (key) => (await trying(() => client.get(keyOf(key)))) ?? undefined,
    set: async (key, value, ttlMs) => {
      if (ttlMs >= 1) await trying(() => client.set(keyOf(key), value, 'PX', Math.floor(ttlMs)));
    },
    delete: async (key) => void (await trying(() => client.del(keyOf(key)))),
  };
}

/** A cache where this installation keeps them: in Redis when there is one, else in this process. */
export function openCache(redis: RedisConnection | undefined, name: string): Cache {
  return redis === undefined ? createMemoryCache() : createSharedCache(redis, name);
}
