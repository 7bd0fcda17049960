import { describe, expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/foundation/limits.ts';
import { createRequestLimiter, shareOf } from '../../../src/services/web/request-limiter.ts';

const caller = (subject: string) => ({
  subject,
  email: null,
  realm: 'web',
  roles: [],
  planCap: null,
  application: null,
});
const never = () => new AbortController().signal;
const free = () => createMemoryRateLimiter({ perSecond: 1000, burst: 1000 });
/** Work that ends when the test says so. */
function held() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

describe('a share', () => {
  it('is of the caller and the user that it names', () => {
    const keys = [
      shareOf(undefined, undefined),
      shareOf(undefined, 'ana'),
      shareOf(caller('token'), 'ana'),
      shareOf(caller('token'), 'ion'),
      shareOf(caller('token'), undefined),
    ];
    expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length);
    expect(keys.map(({ isNamed }) => isNamed)).toEqual([false, true, true, true, false]);
  });
});

describe('the request limiter', () => {
  it('are never all taken by one user', async () => {
    const requestLimiter = createRequestLimiter({
      running: 8,
      waiting: 100,
      limiter: free(),
      ownLimiter: free(),
    });
    const hog = shareOf(undefined, 'hog');
    const { work, end } = held();
    const held25 = Array.from({ length: 25 }, () => requestLimiter.run(hog, never(), work));
    await expect(requestLimiter.run(shareOf(undefined, 'ana'), never(), async () => 'read')).resolves.toBe(
      'read',
    );
    end();
    await Promise.all(held25);
  });

  const full: readonly [string, string | undefined, number][] = [
    ['429 to a named user whose own share of the waiting is full', 'hog', 429],
    ['503 to a caller that asks for itself', undefined, 503],
  ];
  it.each(full)('answer %s', async (_case, named, status) => {
    const requestLimiter = createRequestLimiter({
      running: 4,
      waiting: 4,
      limiter: free(),
      ownLimiter: free(),
    });
    const share = shareOf(undefined, named);
    const { work, end } = held();
    const taken = Array.from({ length: 3 }, () => requestLimiter.run(share, never(), work));
    await expect(requestLimiter.run(share, never(), work)).rejects.toMatchObject({ status });
    end();
    await Promise.all(taken);
  });

  it('answer 503 when too many of all wait', async () => {
    const requestLimiter = createRequestLimiter({
      running: 1,
      waiting: 1,
      limiter: free(),
      ownLimiter: free(),
    });
    const { work, end } = held();
    const taken = ['ana', 'ion'].map((name) => requestLimiter.run(shareOf(undefined, name), never(), work));
    await expect(requestLimiter.run(shareOf(undefined, 'dan'), never(), work)).rejects.toMatchObject({
      status: 503,
    });
    end();
    await Promise.all(taken);
  });

  it('keep half of the rate for others, and all of it for a caller that asks for itself', async () => {
    const requestLimiter = createRequestLimiter({
      running: 8,
      waiting: 8,
      limiter: createMemoryRateLimiter({ perSecond: 0.001, burst: 4 }),
      ownLimiter: createMemoryRateLimiter({ perSecond: 0.001, burst: 2 }),
    });
    const ask = (named: string | undefined) =>
      requestLimiter.run(shareOf(undefined, named), never(), async () => 200).catch((error) => error.status);
    const statuses = [];
    for (const named of ['hog', 'hog', 'hog', 'ana', undefined, undefined]) statuses.push(await ask(named));
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429]);
  });
});
