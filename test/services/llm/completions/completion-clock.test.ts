import { describe, expect, it } from 'vitest';
import {
  CompletionClock,
  type CompletionRules,
} from '../../../../src/services/llm/completions/completion-clock.ts';

const rules: CompletionRules = {
  firstEventMs: 300,
  eventMs: 200,
  answerMs: 400,
  totalMs: 1000,
  keepAliveMs: 0,
  retries: 2,
  retryDelayMs: 10,
  retryDeadlineMs: 500,
  largestAnswerBytes: 1000,
  disableThinking: true,
  askUsage: true,
};

/** A clock that started at 100, whose backend was asked at once. */
function clockOf(stream: boolean, more: Partial<CompletionRules> = {}): CompletionClock {
  const clock = new CompletionClock({ ...rules, ...more }, stream, 100);
  clock.lastSignAt = 100;
  return clock;
}

describe('the clock of a completion', () => {
  it.each<[string, boolean, (clock: CompletionClock) => void, number]>([
    ['a plain answer', false, () => {}, 500],
    ['the first event', true, () => {}, 400],
    ['the next event', true, (clock) => Object.assign(clock, { firstEventAt: 150, lastSignAt: 150 }), 350],
    ['the end after [DONE]', true, (clock) => Object.assign(clock, { firstEventAt: 150, done: true }), 300],
    ['a caller who reads slowly', true, (clock) => Object.assign(clock, { paused: true }), 1100],
  ])('waits for %s', (_name, stream, change, end) => {
    const clock = clockOf(stream);
    change(clock);
    expect(clock.nextCheck()).toBe(end);
    expect(clock.due(end - 1)).toBeUndefined();
    expect(clock.due(end)).toBe(end === 1100 ? 'total' : 'silence');
  });

  it('ends everything with the total time, however often the backend shows that it lives', () => {
    const clock = clockOf(true);
    clock.firstEventAt = 150;
    clock.lastSignAt = 1050;
    expect(clock.nextCheck()).toBe(1100);
    expect(clock.due(1100)).toBe('total');
  });

  it('asks for a sign of life to the caller of a stream, and not of a plain answer', () => {
    const stream = clockOf(true, { keepAliveMs: 50 });
    expect(stream.nextCheck()).toBe(150);
    expect(stream.due(150)).toBe('keep_alive');
    stream.lastSentAt = 150;
    expect(stream.due(160)).toBeUndefined();
    expect(clockOf(false, { keepAliveMs: 50 }).due(150)).toBeUndefined();
  });

  it('holds nothing against a backend that is not asked while a retry waits', () => {
    const clock = clockOf(true, { keepAliveMs: 50 });
    clock.backingOff = true;
    clock.lastSentAt = 2000;
    expect(clock.due(2001)).toBeUndefined();
    expect(clock.due(2050)).toBe('keep_alive');
  });

  it('allows a retry that starts within its deadline and the total time', () => {
    const clock = clockOf(false);
    expect(clock.allowsRetry(400, 200)).toBe(true);
    expect(clock.allowsRetry(400, 201)).toBe(false);
    expect(clockOf(false, { retryDeadlineMs: 5000 }).allowsRetry(1000, 101)).toBe(false);
  });
});
