import { describe, expect, it } from 'vitest';
import { createHostThrottle } from '../../../src/foundation/http/host-throttle.ts';

const never = new AbortController().signal;

describe('the throttle of a host', () => {
  it('lets a burst through and refuses what would wait longer than the caller', async () => {
    const throttle = createHostThrottle(
      () => ({ perSecond: 10, burst: 3 }),
      () => 1_000_000,
    );
    for (let turn = 0; turn < 3; turn++) await throttle.wait('a.example', 0, never);
    await expect(throttle.wait('a.example', 99, never)).rejects.toMatchObject({ reason: 'rate_limited' });
    await throttle.wait('b.example', 0, never);
  });

  it('opens again as time goes by', async () => {
    let now = 1_000_000;
    const throttle = createHostThrottle(
      () => ({ perSecond: 10, burst: 1 }),
      () => now,
    );
    await throttle.wait('a.example', 0, never);
    now += 99;
    await expect(throttle.wait('a.example', 0, never)).rejects.toMatchObject({ reason: 'rate_limited' });
    now += 1;
    await throttle.wait('a.example', 0, never);
  });

  it('stops waiting when the caller leaves', async () => {
    const throttle = createHostThrottle(() => ({ perSecond: 0.001, burst: 1 }));
    await throttle.wait('a.example', 0, never);
    const leaving = new AbortController();
    const waiting = throttle.wait('a.example', 10_000_000, leaving.signal);
    leaving.abort();
    await expect(waiting).rejects.toThrow();
  });
});
