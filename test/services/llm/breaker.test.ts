import { describe, expect, it } from 'vitest';
import { Breaker } from '../../../src/services/llm/breaker.ts';

function breakerAt(clock: { now: number }): Breaker {
  return new Breaker({ requests: 10, failureShare: 0.5, openMs: 1000 }, () => clock.now);
}

function fail(breaker: Breaker, times: number): void {
  for (let index = 0; index < times; index++) breaker.failed('free');
}

describe('Breaker', () => {
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
    for (let index = 0; index < 11; index++) breaker.succeeded('free');
    fail(breaker, 10);
    expect(breaker.state()).toBe('closed');
    fail(breaker, 1);
    expect(breaker.state()).toBe('open');
  });

  it('lets one request try after its time, and closes when that succeeds', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    expect(breaker.waitMs()).toBe(1000);
    clock.now = 1000;
    expect(breaker.state()).toBe('half_open');
    expect(breaker.admit()).toBe('try');
    expect(breaker.admit()).toBeUndefined();
    breaker.succeeded('try');
    expect(breaker.state()).toBe('closed');
    expect(breaker.admit()).toBe('free');
  });

  it('opens again when the try fails', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    clock.now = 1000;
    breaker.admit();
    breaker.failed('try');
    expect(breaker.state()).toBe('open');
    expect(breaker.waitMs()).toBe(1000);
  });

  it('gives the try to another when its caller left', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    clock.now = 1000;
    breaker.admit();
    breaker.dropped('try');
    expect(breaker.admit()).toBe('try');
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
    for (let index = 0; index < 100; index++) breaker.dropped('free');
    fail(breaker, 9);
    expect(breaker.state()).toBe('closed');
  });

  it('is not moved by requests from before it opened', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    clock.now = 900;
    breaker.failed('free');
    breaker.succeeded('free');
    expect([breaker.state(), breaker.waitMs()]).toEqual(['open', 100]);
    clock.now = 1000;
    expect(breaker.admit()).toBe('try');
    breaker.dropped('free');
    expect(breaker.admit()).toBeUndefined();
  });

  it('lets another try when the first takes too long', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    clock.now = 1000;
    expect(breaker.admit()).toBe('try');
    clock.now = 1999;
    expect([breaker.admit(), breaker.waitMs()]).toEqual([undefined, 1]);
    clock.now = 2000;
    expect(breaker.admit()).toBe('try');
    breaker.succeeded('try');
    breaker.succeeded('try');
    expect(breaker.state()).toBe('closed');
  });
});
