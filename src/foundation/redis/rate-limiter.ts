import { createHash } from 'node:crypto';
import { createMemoryRateLimiter, type Rate, type RateDecision, type RateLimiter } from '../limits.ts';
import type { RedisConnection } from './redis.ts';

/**
 * Takes tokens from the bucket KEYS[1]: ARGV is tokens a second, size, cost. Time is that of the server, the same for all
 * processes. Answers {allowed, tokens left, tokens missing}; numbers as text, because Redis cuts them to integers.
 */
const TAKE = `
local rate, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local at = tonumber(bucket[2]) or now
local tokens = math.min(burst, (tonumber(bucket[1]) or burst) + math.max(0, now - at) * rate)
local needed = math.min(cost, burst)
local allowed = tokens >= needed
if allowed then tokens = tokens - needed end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.17g', tokens), 'at', string.format('%.17g', math.max(now, at)))
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) / rate * 1000) + 1000)
return {allowed and 1 or 0, string.format('%.17g', tokens), string.format('%.17g', allowed and 0 or needed - tokens)}
`;
const TAKE_SHA = createHash('sha1').update(TAKE).digest('hex');

type Taken = [allowed: number, left: string, missing: string];

/** Runs the script by its hash, and by its text where the server does not know it yet. */
async function run({ client }: RedisConnection, key: string, values: (string | number)[]): Promise<Taken> {
  try {
    return (await client.evalsha(TAKE_SHA, 1, key, ...values)) as Taken;
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return (await client.eval(TAKE, 1, key, ...values)) as Taken;
  }
}

/** How buckets in Redis are made. */
export interface SharedLimit extends Rate {
  /** Distinguishes the buckets of different limits. */
  readonly name: string;
}

/**
 * Token buckets in Redis, shared by all processes. While Redis is lost each process counts in its own memory: the limit holds
 * per process then, and no request is refused because of the loss.
 */
export function createSharedRateLimiter(redis: RedisConnection, limit: SharedLimit): RateLimiter {
  const memory = createMemoryRateLimiter(limit);
  const keyOf = (key: string) => `${redis.prefix}:limit:${limit.name}:${key}`;
  const toGrant = ([allowed, left, missing]: Taken, { perSecond, burst }: Rate): RateDecision => {
    const msFor = (tokens: number) => Math.ceil((tokens / perSecond) * 1000);
    return {
      allowed: allowed === 1,
      limit: burst,
      remaining: Math.floor(Number(left)),
      retryAfterMs: msFor(Number(missing)),
      resetMs: msFor(burst - Number(left)),
    };
  };
  return {
    async take(key, cost = 1) {
      if (redis.client.status !== 'ready') return memory.takeNow(key, cost);
      try {
        const { perSecond, burst } = limit;
        return toGrant(await run(redis, keyOf(key), [perSecond, burst, cost]), { perSecond, burst });
      } catch {
        // The connection logs its own loss once; here it would be logged per request.
        return memory.takeNow(key, cost);
      }
    },
    async refill(key) {
      await memory.refill(key);
      if (redis.client.status === 'ready') await redis.client.del(keyOf(key)).catch(() => undefined);
    },
  };
}

/** Token buckets where this installation keeps them: in Redis when there is one, else in this process. */
export function openRateLimiter(redis: RedisConnection | undefined, limit: SharedLimit): RateLimiter {
  return redis === undefined ? createMemoryRateLimiter(limit) : createSharedRateLimiter(redis, limit);
}
