import { LRUCache } from 'lru-cache';

/** The decision on one request. Times in milliseconds. */
export interface RateDecision {
  readonly allowed: boolean;
  /** Most tokens that a key can have. */
  readonly limit: number;
  /** Whole tokens that are left. */
  readonly remaining: number;
  /** Until the tokens are there; 0 when allowed. */
  readonly retryAfterMs: number;
  /** Until the bucket is full. */
  readonly resetMs: number;
}

/** Token buckets, one for each key. Asynchronous, so that a store which several processes share can serve it. */
export interface RateLimiter {
  /** Takes tokens, one unless `cost` says otherwise; a refused request takes none. A cost above the limit counts as the limit. */
  take(key: string, cost?: number): Promise<RateDecision>;
  /** Makes the bucket of a key full again. */
  refill(key: string): Promise<void>;
}

/** A limiter whose buckets are in this process, which can answer without waiting. */
export interface MemoryRateLimiter extends RateLimiter {
  /**
   * `take` without a promise, for the text-model gateway: it takes completions on bare HTTP in one synchronous turn, which is
   * what its measured speed rests on.
   */
  takeNow(key: string, cost?: number): RateDecision;
}

/** Tokens a second, and how many there may be at once. Read at each request: they may change while buckets are in use. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Most keys in memory; the least recently used is dropped first, which only refills its bucket. */
const KEPT_BUCKETS = 10_000;

/** Buckets in memory. `now` is a clock in milliseconds. */
export function createMemoryRateLimiter(
  rate: Rate,
  now: () => number = () => performance.now(),
): MemoryRateLimiter {
  const buckets = new LRUCache<string, Bucket>({ max: KEPT_BUCKETS });
  const takeNow = (key: string, cost = 1): RateDecision => {
    const { perSecond, burst } = rate;
    const msFor = (tokens: number) => Math.ceil((tokens / perSecond) * 1000);
    const at = now();
    const bucket = buckets.get(key) ?? { tokens: burst, at };
    bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond);
    bucket.at = at;
    const needed = Math.min(cost, burst);
    const allowed = bucket.tokens >= needed;
    if (allowed) bucket.tokens -= needed;
    buckets.set(key, bucket);
    return {
      allowed,
      limit: burst,
      remaining: Math.floor(bucket.tokens),
      retryAfterMs: allowed ? 0 : msFor(needed - bucket.tokens),
      resetMs: msFor(burst - bucket.tokens),
    };
  };
  return {
    takeNow,
    take: async (key, cost) => takeNow(key, cost),
    refill: async (key) => {
      buckets.delete(key);
    },
  };
}

/** Response headers that show a caller its limit; whole seconds, rounded up. */
export function limitHeaders(decision: RateDecision): Record<string, string> {
  return {
    'RateLimit-Limit': String(decision.limit),
    'RateLimit-Remaining': String(decision.remaining),
    'RateLimit-Reset': String(Math.ceil(decision.resetMs / 1000)),
    ...(!decision.allowed && { 'Retry-After': String(Math.max(1, Math.ceil(decision.retryAfterMs / 1000))) }),
  };
}
