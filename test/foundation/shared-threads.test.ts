import { afterEach, describe, expect, it } from 'vitest';
import { packageFile } from '../../src/foundation/files.ts';
import { createSharedThreads, type SharedThreads } from '../../src/foundation/shared-threads.ts';

const program = packageFile('test', 'foundation', 'programs', 'held-thread.mjs');
const open: SharedThreads<string, string>[] = [];

/** Threads whose loading goes on when `load` is called. */
function heldThreads(threadCount: number, fails = false) {
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const threads = createSharedThreads<string, string, string>(program, threadCount, { gate, fails });
  open.push(threads);
  const load = () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  return { threads, load };
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((threads) => threads.close()));
});

describe('threads', () => {
  it('that load hold up neither this process nor others', async () => {
    const slow = heldThreads(1);
    const order: string[] = [];
    const waiting = slow.threads.run('a').then(() => order.push('the one that loads'));
    const quick = heldThreads(1);
    quick.load();
    await quick.threads.run('b');
    order.push('another');
    expect([slow.threads.loaded(), quick.threads.loaded()]).toEqual([false, true]);
    slow.load();
    await waiting;
    expect(order).toEqual(['another', 'the one that loads']);
  });

  it('start when they are first used, and share what the first has loaded', async () => {
    const { threads, load } = heldThreads(2);
    expect(threads.loaded()).toBe(false);
    const both = Promise.all([threads.run('a'), threads.run('b')]);
    load();
    expect(await both).toEqual(['own 0 a', 'shared 1 b']);
    expect(threads.loaded()).toBe(true);
    await expect(Promise.all([threads.run('a'), threads.run('b'), threads.run('c')])).rejects.toThrow(
      'no thread is free',
    );
  });

  it('tell a task that failed, and go on', async () => {
    const { threads, load } = heldThreads(1);
    load();
    await expect(threads.run('fail')).rejects.toThrow('no');
    expect(await threads.run('a')).toBe('own 0 a');
  });

  it('that cannot be loaded or end are started anew by the next task', async () => {
    const { threads, load } = heldThreads(1, true);
    load();
    await expect(threads.run('a')).rejects.toThrow('it cannot be loaded');
    expect(await threads.run('a')).toBe('own 0 a');
    await expect(threads.run('end')).rejects.toThrow('a thread ended');
    expect(await threads.run('a')).toBe('shared 0 a');
  });
});
