import { describe, expect, it } from 'vitest';
import { Breaker } from '../../../src/services/llm/breaker.ts';

function breakerAt(clock: { now: number }): Breaker {
  return new Breaker({ requests: 10, failureShare: 0.5, openMs: 1000 }, () => clock.now);
}

function fail(breaker: Breaker, times: number): void {
  for (let index = 0; index < times; index++) breaker.failed();
}

describe('Breaker', () => {
  it('stays closed below ten requests, whatever they did', () => {
    const breaker = breakerAt({ now: 0 });
    fail(breaker, 9);
    expect(breaker.state()).toBe('closed');
    fail(breaker, 1);
    expect(breaker.state()).toBe('open');
    expect(breaker.admit()).toBe(false);
  });

  it('stays closed while most requests succeed', () => {
    const breaker = breakerAt({ now: 0 });
    for (let index = 0; index < 11; index++) breaker.succeeded();
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
    expect(breaker.admit()).toBe(true);
    expect(breaker.admit()).toBe(false);
    breaker.succeeded();
    expect(breaker.state()).toBe('closed');
    expect(breaker.admit()).toBe(true);
  });

  it('opens again when the try fails', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    clock.now = 1000;
    breaker.admit();
    breaker.failed();
    expect(breaker.state()).toBe('open');
    expect(breaker.waitMs()).toBe(1000);
  });

  it('gives the try to another when its caller left', () => {
    const clock = { now: 0 };
    const breaker = breakerAt(clock);
    fail(breaker, 10);
    clock.now = 1000;
    breaker.admit();
    breaker.dropped();
    expect(breaker.admit()).toBe(true);
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
    for (let index = 0; index < 100; index++) breaker.dropped();
    fail(breaker, 9);
    expect(breaker.state()).toBe('closed');
  });
});
