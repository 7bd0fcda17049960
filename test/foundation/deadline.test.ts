import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeadlineError, startDeadline, withDeadline } from '../../src/foundation/deadline.ts';
import { packageFile } from '../../src/foundation/files.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that never ends, and the signal it was given. */
function deafWork() {
  const work = vi.fn((_signal: AbortSignal) => new Promise<never>(() => {}));
  return { work, signal: () => work.mock.calls[0]?.[0] };
}

/** How a promise ends: its value, or what it rejected with. */
const endOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

it('stands wherever a limit of time is joined to another signal', () => {
  const source = packageFile('src');
  const joined = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => {
      const text = readFileSync(join(source, name), 'utf8');
      return text.includes('AbortSignal.any(') && text.includes('AbortSignal.timeout(');
    });
  expect(joined).toEqual([]);
});

describe('withDeadline', () => {
  it('gives the value of work that ends in time and leaves no timer', async () => {
    expect(await withDeadline(1000, undefined, async () => 'done')).toBe('done');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('passes on the error of work that fails in time, thrown before or after its first await', async () => {
    const late = withDeadline(1000, undefined, () => Promise.reject(new Error('late')));
    const early = withDeadline(1000, undefined, () => {
      throw new Error('early');
    });
    await expect(late).rejects.toThrow('late');
    await expect(early).rejects.toThrow('early');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects when the time is up, aborts the work, and does not wait for it', async () => {
    const { work, signal } = deafWork();
    const end = endOf(withDeadline(1000, undefined, work));
    vi.advanceTimersByTime(999);
    expect(signal()?.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal()?.aborted).toBe(true);
    expect(await end).toMatchObject({ reason: 'timeout', message: 'no answer within 1000 ms' });
  });

  it('tells a caller that leaves from a timeout', async () => {
    const { work, signal } = deafWork();
    const caller = new AbortController();
    const end = endOf(withDeadline(1000, caller.signal, work));
    caller.abort();
    expect(await end).toBeInstanceOf(DeadlineError);
    expect(await end).toMatchObject({ reason: 'aborted' });
    expect(signal()?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not start work for a caller that has left', async () => {
    const { work } = deafWork();
    expect(await endOf(withDeadline(1000, AbortSignal.abort(), work))).toMatchObject({ reason: 'aborted' });
    expect(work).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('prefers the deadline to the error that its own abort causes', async () => {
    const end = endOf(
      withDeadline(
        1000,
        undefined,
        (signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('broken by the abort')));
          }),
      ),
    );
    vi.advanceTimersByTime(1000);
    expect(await end).toMatchObject({ reason: 'timeout' });
  });

  it('lets nothing of the caller hold on to finished work', async () => {
    const caller = new AbortController();
    const add = vi.spyOn(caller.signal, 'addEventListener');
    const remove = vi.spyOn(caller.signal, 'removeEventListener');
    await withDeadline(1000, caller.signal, async () => undefined);
    expect(remove.mock.calls.map((call) => call[1])).toEqual(add.mock.calls.map((call) => call[1]));
    expect(add).toHaveBeenCalledOnce();
  });

  it('waits without end for an endless limit', async () => {
    const { work, signal } = deafWork();
    const caller = new AbortController();
    const end = endOf(withDeadline(Number.POSITIVE_INFINITY, caller.signal, work));
    vi.advanceTimersByTime(1_000_000);
    expect(signal()?.aborted).toBe(false);
    caller.abort();
    expect(await end).toMatchObject({ reason: 'aborted' });
  });
});

describe('startDeadline', () => {
  it('keeps the first reason and tells the time that is left', () => {
    const caller = new AbortController();
    const deadline = startDeadline(1000, caller.signal);
    vi.advanceTimersByTime(400);
    expect([deadline.reason, deadline.remainingMs()]).toEqual([undefined, 600]);
    vi.advanceTimersByTime(600);
    caller.abort();
    expect(deadline.reason).toBe('timeout');
    expect(deadline.signal.reason).toBeInstanceOf(DeadlineError);
    deadline.stop();
  });

  it('never fires once it was stopped', () => {
    const caller = new AbortController();
    const deadline = startDeadline(1000, caller.signal);
    deadline.stop();
    caller.abort();
    vi.advanceTimersByTime(2000);
    expect([deadline.reason, deadline.signal.aborted]).toEqual([undefined, false]);
  });

  it('does not count pauses, one within another either', async () => {
    const deadline = startDeadline(1000, undefined);
    vi.advanceTimersByTime(400);
    const resume = deadline.pause();
    const inner = deadline.pause();
    vi.advanceTimersByTime(5000);
    inner();
    inner();
    vi.advanceTimersByTime(5000);
    expect(deadline.reason).toBeUndefined();
    expect(deadline.remainingMs()).toBe(600);
    resume();
    vi.advanceTimersByTime(599);
    expect(deadline.reason).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(deadline.reason).toBe('timeout');
  });

  it('starts no clock again after it was stopped', () => {
    const deadline = startDeadline(1000, undefined);
    const resume = deadline.pause();
    deadline.stop();
    resume();
    expect(vi.getTimerCount()).toBe(0);
  });
});
