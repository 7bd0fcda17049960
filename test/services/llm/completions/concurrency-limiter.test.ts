import { describe, expect, it } from 'vitest';
import { ConcurrencyLimiter } from '../../../../src/services/llm/completions/concurrency-limiter.ts';

describe('ConcurrencyLimiter', () => {
  it('gives as many places as there are', () => {
    const limiter = new ConcurrencyLimiter(() => ({ running: 2, waiting: 0, waitMs: 1000 }));
    expect([limiter.tryAcquire(), limiter.tryAcquire(), limiter.tryAcquire()]).toEqual([true, true, false]);
    limiter.release();
    expect(limiter.tryAcquire()).toBe(true);
  });

  it('hands a place on in the same turn, first come first served', () => {
    const limiter = new ConcurrencyLimiter(() => ({ running: 1, waiting: 2, waitMs: 1000 }));
    const entered: string[] = [];
    limiter.tryAcquire();
    const wait = (name: string) =>
      limiter.enqueue(
        () => entered.push(name),
        () => entered.push(`refused ${name}`),
      );
    const leaveA = wait('a');
    wait('b');
    expect(wait('c')).toBeUndefined();
    expect(limiter.tryAcquire()).toBe(false);
    leaveA?.();
    limiter.release();
    expect(entered).toEqual(['b']);
    expect(limiter.running).toBe(1);
  });

  it('refuses who waited too long', async () => {
    const limiter = new ConcurrencyLimiter(() => ({ running: 1, waiting: 1, waitMs: 5 }));
    limiter.tryAcquire();
    const outcome = await new Promise((resolve) => {
      limiter.enqueue(
        () => resolve('entered'),
        () => resolve('refused'),
      );
    });
    expect(outcome).toBe('refused');
    expect(limiter.waiting).toBe(0);
  });

  it('follows limits that change', () => {
    const limits = { running: 1, waiting: 0, waitMs: 1 };
    const limiter = new ConcurrencyLimiter(() => limits);
    limiter.tryAcquire();
    expect(limiter.tryAcquire()).toBe(false);
    limits.running = 2;
    expect(limiter.tryAcquire()).toBe(true);
  });
});
