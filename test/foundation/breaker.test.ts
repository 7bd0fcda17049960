import { describe, expect, it } from 'vitest';
import { CircuitBreaker } from '../../src/foundation/breaker.ts';

function breakerAt(clock: { now: number }): CircuitBreaker {
  return new CircuitBreaker({ requests: 10, failureShare: 0.5, openMs: 1000 }, () => clock.now);
}

function fail(breaker: CircuitBreaker, times: number): void {
  for (let index = 0; index < times; index++) breaker.failed('normal');
}

describe('the circuit breaker', () => {
  it('stays closed below ten requests, whatever they did', () => {
    const breaker = breakerAt({ now: 0 });
    fail(breaker, 9);
    expect(breaker.state()).toBe('closed');
    fail(breaker, 1);
    expect(breaker.state()).toBe('open');
    expect(breaker.admit()).toBeUndefined();
  });

  it('stays closed while most requests succeed', () => {
    const breaker = breakerAt({ now: 0 });
    for (let index = 0; index < 11; index++) breaker.succeeded('normal');
    fail(breaker, 10);
    expect(breaker.state()).toBe('closed');
    fail(breaker, 1);
    expect(breaker.state()).toBe('open');
  });

  it('lets one trial through after its time, and closes when that succeeds', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    expect(breaker.waitMs()).toBe(1000);
    clock.now = 1000;
    expect(breaker.state()).toBe('half_open');
    expect(breaker.admit()).toBe('trial');
    expect(breaker.admit()).toBeUndefined();
    breaker.succeeded('trial');
    expect(breaker.state()).toBe('closed');
    expect(breaker.admit()).toBe('normal');
  });

  it('opens again when the trial fails', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    clock.now = 1000;
    breaker.admit();
    breaker.failed('trial');
    expect(breaker.state()).toBe('open');
    expect(breaker.waitMs()).toBe(1000);
  });

  it('gives the trial to another when its caller left', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    clock.now = 1000;
    breaker.admit();
    breaker.dropped('trial');
    expect(breaker.admit()).toBe('trial');
  });

  it('forgets what is older than its window', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 9);
    clock.now = 40_000;
    fail(breaker, 5);
    expect(breaker.state()).toBe('closed');
  });

  it('never counts what callers gave up', () => {
    const breaker = breakerAt({ now: 0 });
    for (let index = 0; index < 100; index++) breaker.dropped('normal');
    fail(breaker, 9);
    expect(breaker.state()).toBe('closed');
  });

  it('is not moved by requests from before it opened', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    clock.now = 900;
    breaker.failed('normal');
    breaker.succeeded('normal');
    expect([breaker.state(), breaker.waitMs()]).toEqual(['open', 100]);
    clock.now = 1000;
    expect(breaker.admit()).toBe('trial');
    breaker.dropped('normal');
    expect(breaker.admit()).toBeUndefined();
  });

  it('lets another trial through when the first takes too long', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    clock.now = 1000;
    expect(breaker.admit()).toBe('trial');
    clock.now = 1999;
    expect([breaker.admit(), breaker.waitMs()]).toEqual([undefined, 1]);
    clock.now = 2000;
    expect(breaker.admit()).toBe('trial');
    breaker.succeeded('trial');
    breaker.succeeded('trial');
    expect(breaker.state()).toBe('closed');
  });
});
