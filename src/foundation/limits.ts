import { LRUCache } from 'lru-cache';

/** The answer of a token bucket. Times in milliseconds. */
export interface Grant {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Until a token is there again; 0 when allowed. */
  retryAfterMs: number;
  /** Until the bucket is full. */
  resetMs: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Callers that are kept apart; the least recent is forgotten first, which can only be in its favour. */
const KEPT_BUCKETS = 10_000;

/** Token buckets: call it to take one token of a key. */
export interface TokenBuckets {
  (key: string): Grant;
  /** Makes the bucket of a key full again. */
  refill(key: string): void;
}

/** Token buckets, one for each key: `rate` tokens a second, at most `burst` at once. */
export function createTokenBuckets(
  rate: number,
  burst: number,
  now: () => number = () => performance.now(),
): TokenBuckets {
  const buckets = new LRUCache<string, Bucket>({ max: KEPT_BUCKETS });
  const take = (key: string): Grant => {
    const at = now();
    const bucket = buckets.get(key) ?? { tokens: burst, at };
    bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * rate);
    bucket.at = at;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    buckets.set(key, bucket);
    return {
      allowed,
      limit: burst,
      remaining: Math.floor(bucket.tokens),
      retryAfterMs: allowed ? 0 : Math.ceil(((1 - bucket.tokens) / rate) * 1000),
      resetMs: Math.ceil(((burst - bucket.tokens) / rate) * 1000),
    };
  };
  return Object.assign(take, {
    refill: (key: string) => {
      buckets.delete(key);
    },
  });
}

/** Response headers that show a caller its limit; whole seconds, rounded up. */
export function limitHeaders(grant: Grant): Record<string, string> {
  return {
    'RateLimit-Limit': String(grant.limit),
    'RateLimit-Remaining': String(grant.remaining),
    'RateLimit-Reset': String(Math.ceil(grant.resetMs / 1000)),
    ...(!grant.allowed && { 'Retry-After': String(Math.max(1, Math.ceil(grant.retryAfterMs / 1000))) }),
  };
}
